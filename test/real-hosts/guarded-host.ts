import { join } from "node:path";
import { expect } from "vitest";
import type { ModelCall, OfflineProgram } from "../../src/hosts/program.ts";
import { programById } from "../../src/hosts/programs.ts";
import { type OfflineResult, runOffline } from "../../src/proof/offline-run.ts";
import type { ModelScript } from "../../src/proof/script.ts";
import type { ToolCall } from "../../src/proof/wire.ts";
import { configureUserHooks, holdfast, holdfastEnvironment, type ShellHook } from "./holdfast.ts";
import { type HostName, installedHost } from "./installed-host.ts";
import type { Scratch } from "./scratch.ts";

/** The MCP server that the model is offered. */
export const MCP_SERVER = {
  name: "notes",
  command: process.execPath,
  args: [join(import.meta.dirname, "mcp-server.mjs")],
};

export function offlineProgram(host: HostName): OfflineProgram {
  const offline = programById(host)?.offline;
  if (!offline) throw new Error(`${host} cannot be run offline`);
  return offline;
}

/** Holdfast registered with the host in the project, with these hooks, and the model's script played. */
export async function runGuarded(
  host: HostName,
  scratch: Scratch,
  hooks: readonly ShellHook[],
  model: ModelScript & { readonly prompt?: string },
): Promise<OfflineResult> {
  await configureUserHooks(scratch, hooks);
  await holdfast(scratch, "init", "--yes", "--hosts", host);
  return runInProject(host, scratch, model);
}

export async function runInProject(
  host: HostName,
  scratch: Scratch,
  { prompt = "go", ...script }: ModelScript & { readonly prompt?: string },
): Promise<OfflineResult> {
  const run = await runOffline({
    ...(await installedHost(host)),
    program: offlineProgram(host),
    script,
    prompt,
    homeDir: scratch.home,
    projectDir: scratch.projectDir,
    mcpServer: MCP_SERVER,
    env: holdfastEnvironment(scratch),
    timeoutMs: 90_000,
  });
  expect(run.timedOut, run.story).toBe(false);
  return run;
}

export const call = (id: string, said: ModelCall): ToolCall => ({ id, ...said });

/** What the model was told about one of its calls. */
export function resultOf(run: OfflineResult, id: string): string {
  return run.model.toolResults().get(id)?.text ?? "(nothing)";
}

/** The texts with the word in them, and no others: a failure must not print the host's whole system prompt. */
export function told(run: OfflineResult, word: string, lane?: string): string[] {
  return run.model.textsSentToModel(lane).filter((text) => text.includes(word));
}

export function saidByModel(run: OfflineResult, lane: string): string[] {
  return run.model.requests.flatMap((request) => (request.lane === lane ? [request.answer?.text ?? ""] : []));
}

/** A hook's script that answers the same to everything. */
export function answering(answer: object): string {
  return `cat > /dev/null\nprintf '%s' '${JSON.stringify(answer)}'\n`;
}

export function blockingWhenItSees(word: string, reason: string): string {
  return `if grep -q '${word}'; then printf '%s' '${JSON.stringify({ decision: "block", reason })}'; fi\n`;
}
