import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

interface HostRelease {
  readonly package: string;
  readonly version: string;
  /** Where the program may be, below the install directory. The first that runs is the one. */
  readonly binaries: readonly string[];
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
} as const satisfies Record<string, HostRelease>;

export type HostName = keyof typeof releases;

export const hostNames = Object.keys(releases) as readonly HostName[];

const found = new Map<HostName, Promise<string>>();

/** The path of the pinned program, installed into the cache on first use. */
export function installedHost(name: HostName): Promise<string> {
  const known = found.get(name);
  if (known !== undefined) return known;
  const binary = findOrInstall(name, releases[name]);
  found.set(name, binary);
  return binary;
}

async function findOrInstall(name: HostName, release: HostRelease): Promise<string> {
  const directory = join(cacheDirectory(), `${name}-${release.version}`);
  if (!existsSync(directory)) await install(release, directory);
  return runningBinary(release, directory);
}

function cacheDirectory(): string {
  const own = process.env.HOLDFAST_HOST_CACHE;
  if (own) return own;
  return join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "holdfast", "hosts");
}

/** The directory appears whole or not at all. Of two processes that install at once, the slower one's copy is dropped. */
async function install(release: HostRelease, directory: string): Promise<void> {
  await mkdir(dirname(directory), { recursive: true });
  const staging = await mkdtemp(`${directory}.installing-`);
  try {
    await writeFile(join(staging, "package.json"), '{ "private": true }\n');
    const spec = `${release.package}@${release.version}`;
    await run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", spec], { cwd: staging });
    await runningBinary(release, staging);
    await rename(staging, directory);
  } catch (error) {
    if (!existsSync(directory)) throw error;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function runningBinary(release: HostRelease, directory: string): Promise<string> {
  const failures: string[] = [];
  for (const candidate of release.binaries) {
    const binary = join(directory, candidate);
    const failure = await whyItDoesNotRun(binary, release.version);
    if (failure === undefined) return binary;
    failures.push(`  ${candidate}: ${failure}`);
  }
  throw new Error(
    `${release.package}@${release.version} in ${directory} does not run; remove that directory to install it again.\n` +
      failures.join("\n"),
  );
}

async function whyItDoesNotRun(binary: string, version: string): Promise<string | undefined> {
  if (!existsSync(binary)) return "not there";
  const env = { PATH: process.env.PATH, HOME: tmpdir() };
  try {
    const { stdout } = await run(binary, ["--version"], { env, timeout: 20_000 });
    return stdout.includes(version) ? undefined : `says it is ${stdout.trim()}`;
  } catch (error) {
    return String(error).split("\n").slice(0, 2).join(" ");
  }
}
