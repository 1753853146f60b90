import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { cleanPath } from "../../src/proof/host-process.ts";

const run = promisify(execFile);

/** A package of the registry, pinned. */
interface Release {
  readonly package: string;
  readonly version: string;
  /** Where the program may be, below the install directory. The first that runs is the one. */
  readonly binaries: readonly string[];
  /** A script for a newer Node than ours. */
  readonly onNewerNode?: boolean;
}

const platform = `${process.platform}-${process.arch}`;

const releases = {
  "claude-code": {
    package: "@anthropic-ai/claude-code",
    version: "2.1.325",
    // Without its postinstall, .bin/claude is a stub that exits 1: the program is in the platform package.
    binaries: [
      "node_modules/.bin/claude",
      `node_modules/@anthropic-ai/claude-code-${platform}/claude`,
      `node_modules/@anthropic-ai/claude-code-${platform}-musl/claude`,
    ],
  },
  codex: { package: "@openai/codex", version: "0.166.0", binaries: ["node_modules/.bin/codex"] },
  copilot: {
    package: "@github/copilot",
    version: "1.0.102",
    binaries: [`node_modules/@github/copilot-${platform}/copilot`],
  },
  // The package of the name itself asks for a newer platform package than the registry carries.
  opencode: {
    package: `opencode-${platform}`,
    version: "1.18.18",
    binaries: [`node_modules/opencode-${platform}/bin/opencode`],
  },
  gemini: {
    package: "@google/gemini-cli",
    version: "0.61.0",
    binaries: ["node_modules/@google/gemini-cli/bundle/gemini.js"],
  },
  qwen: {
    package: "@qwen-code/qwen-code",
    version: "0.24.4",
    binaries: ["node_modules/@qwen-code/qwen-code/cli-entry.js"],
    onNewerNode: true,
  },
  pi: {
    package: "@earendil-works/pi-coding-agent",
    version: "0.87.1",
    binaries: ["node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js"],
    onNewerNode: true,
  },
} as const satisfies Record<string, Release>;

const newerNode: Release = {
  package: `node-${platform}`,
  version: "24",
  binaries: [`node_modules/node-${platform}/bin/node`],
};

export type HostName = keyof typeof releases;

export const hostNames = Object.keys(releases) as readonly HostName[];

export interface InstalledHost {
  /** The program, and what must stand before its arguments. */
  readonly command: readonly string[];
  /** The PATH it needs. */
  readonly path: string;
}

const found = new Map<HostName, Promise<InstalledHost>>();

/** The pinned program, installed into the cache on first use. */
export function installedHost(name: HostName): Promise<InstalledHost> {
  const known = found.get(name);
  if (known !== undefined) return known;
  const host = locate(name, releases[name]);
  found.set(name, host);
  return host;
}

async function locate(name: string, release: Release): Promise<InstalledHost> {
  const node = release.onNewerNode ? await findOrInstall("node", newerNode, []) : process.execPath;
  const prefix = release.binaries[0]?.endsWith(".js") ? [node] : [];
  const binary = await findOrInstall(name, release, prefix);
  return { command: [...prefix, binary], path: [dirname(node), cleanPath].join(delimiter) };
}

async function findOrInstall(name: string, release: Release, prefix: readonly string[]): Promise<string> {
  const directory = join(cacheDirectory(), `${name}-${release.version}`);
  if (!existsSync(directory)) await install(release, directory, prefix);
  return runningBinary(release, directory, prefix);
}

function cacheDirectory(): string {
  const own = process.env.HOLDFAST_HOST_CACHE;
  if (own) return own;
  return join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "holdfast", "hosts");
}

/** The directory appears whole or not at all. Of two processes that install at once, the slower one's copy is dropped. */
async function install(release: Release, directory: string, prefix: readonly string[]): Promise<void> {
  await mkdir(dirname(directory), { recursive: true });
  const staging = await mkdtemp(`${directory}.installing-`);
  try {
    await writeFile(join(staging, "package.json"), '{ "private": true }\n');
    const spec = `${release.package}@${release.version}`;
    await run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", spec], { cwd: staging });
    await runningBinary(release, staging, prefix);
    await rename(staging, directory);
  } catch (error) {
    if (!existsSync(directory)) throw error;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function runningBinary(release: Release, directory: string, prefix: readonly string[]): Promise<string> {
  const failures: string[] = [];
  for (const candidate of release.binaries) {
    const binary = join(directory, candidate);
    const failure = await whyItDoesNotRun([...prefix, binary], release.version);
    if (failure === undefined) return binary;
    failures.push(`  ${candidate}: ${failure}`);
  }
  throw new Error(
    `${release.package}@${release.version} in ${directory} does not run; remove that directory to install it again.\n` +
      failures.join("\n"),
  );
}

async function whyItDoesNotRun(command: readonly string[], version: string): Promise<string | undefined> {
  const binary = command.at(-1) ?? "";
  if (!existsSync(binary)) return "not there";
  const home = await mkdtemp(join(tmpdir(), "holdfast-version-"));
  try {
    const [program = "", ...before] = command;
    const env = { PATH: process.env.PATH, HOME: home };
    const { stdout } = await run(program, [...before, "--version"], { env, timeout: 60_000 });
    return stdout.includes(version) ? undefined : `says it is ${stdout.trim()}`;
  } catch (error) {
    return String(error).split("\n").slice(0, 2).join(" ");
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
