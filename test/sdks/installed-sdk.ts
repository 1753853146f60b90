/** The SDKs as published, installed into a cache on first use: they are not dependencies of Holdfast. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

/** What stands together in one folder. The first package names it. */
export const SDKS = {
  "ai-6": ["ai@6.0.326", "zod@4.6.7"],
  "ai-7": ["ai@7.0.169", "zod@4.6.7"],
  langchain: ["langchain@1.5.14", "@langchain/langgraph@1.4.18", "@langchain/core@1.2.13", "zod@4.6.7"],
  "openai-agents": ["@openai/agents@0.20.0", "zod@4.6.7"],
  "claude-agent-sdk": ["@anthropic-ai/claude-agent-sdk@0.3.325", "zod@4.6.7"],
  strands: ["@strands-agents/sdk@1.19.0", "zod@4.6.7"],
  "mcp-2": ["@modelcontextprotocol/client@2.4.0", "@modelcontextprotocol/server@2.4.0", "zod@4.6.7"],
} as const satisfies Record<string, readonly string[]>;

export type SdkName = keyof typeof SDKS;

/** Imports a package of an SDK's folder, as a program that has it installed would. */
// biome-ignore lint/suspicious/noExplicitAny: the types of these packages are not there when ours are checked
export async function loadSdk(sdk: SdkName, specifier: string): Promise<any> {
  const directory = await installedSdk(sdk);
  const { load } = await import(pathToFileURL(join(directory, LOADER)).href);
  return load(specifier);
}

/** Where the SDK is installed. */
export function installedSdk(sdk: SdkName): Promise<string> {
  const known = found.get(sdk);
  if (known !== undefined) return known;
  const directory = findOrInstall(SDKS[sdk]);
  found.set(sdk, directory);
  return directory;
}

const found = new Map<SdkName, Promise<string>>();

/** Below node_modules, so that the test runner leaves it alone and names are resolved from there. */
const LOADER = "node_modules/.holdfast/load.mjs";

async function findOrInstall(packages: readonly string[]): Promise<string> {
  const directory = join(cacheDirectory(), (packages[0] ?? "").replaceAll("/", "+"));
  if (!existsSync(directory)) await install(packages, directory);
  return directory;
}

function cacheDirectory(): string {
  const own = process.env.HOLDFAST_SDK_CACHE;
  if (own) return own;
  return join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "holdfast", "sdks");
}

/** The directory appears whole or not at all. Of two processes that install at once, the slower one's copy is dropped. */
async function install(packages: readonly string[], directory: string): Promise<void> {
  await mkdir(dirname(directory), { recursive: true });
  const staging = await mkdtemp(`${directory}.installing-`);
  try {
    await writeFile(join(staging, "package.json"), '{ "private": true }\n');
    await run("npm", ["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", ...packages], {
      cwd: staging,
    });
    await mkdir(dirname(join(staging, LOADER)), { recursive: true });
    await writeFile(join(staging, LOADER), "export const load = (specifier) => import(specifier);\n");
    await rename(staging, directory);
  } catch (error) {
    if (!existsSync(directory)) throw error;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}
