import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { cleanPath, type HostExit, runHostProcess } from "./host-process.ts";
import { installedHost } from "./installed-host.ts";
import { type ModelScript, type RecordedRequest, type ScriptedModel, startScriptedModel } from "./scripted-model.ts";

export interface ClaudeOptions extends ModelScript {
  readonly prompt?: string;
  readonly projectDir: string;
  readonly home: string;
  readonly extraArgs?: readonly string[];
  /** Added to the clean environment; hook processes inherit it. */
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

export interface ClaudeRun {
  readonly exitCode: number | null;
  readonly durationMs: number;
  /** Every line of the program's stream, parsed. */
  readonly events: readonly StreamEvent[];
  /** The finished hooks among them. The program does not report every event's hooks (SessionEnd is missing). */
  readonly hookEvents: readonly HookEvent[];
  readonly stderr: string;
  readonly model: Pick<ScriptedModel, "requests" | "toolResults" | "textsSentToModel">;
  /** The run told for a person: the hooks, what the model was told, what went wrong. */
  readonly story: string;
}

export type StreamEvent = { readonly type: string; readonly subtype?: string; readonly [field: string]: unknown };

export interface HookEvent extends StreamEvent {
  readonly hook_event: string;
  readonly hook_name: string;
  readonly outcome: string;
  readonly exit_code?: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the real Claude Code once, headless and offline, against a scripted model. */
export async function runClaude(options: ClaudeOptions): Promise<ClaudeRun> {
  const { projectDir, home, prompt = "go", extraArgs = [], timeoutMs = 60_000 } = options;
  const command = await installedHost("claude-code");
  const temporary = join(home, "tmp");
  await mkdir(temporary, { recursive: true });
  const model = await startScriptedModel(options);
  try {
    const exit = await runHostProcess({
      command,
      args: [...headlessArgs(prompt), ...extraArgs],
      cwd: projectDir,
      env: { ...offlineEnvironment(home, temporary, model.url), ...options.env },
      timeoutMs,
    });
    const run = readRun(exit, model);
    if (exit.timedOut) throw new Error(`Claude Code did not finish within ${timeoutMs} ms.\n${run.story}`);
    return run;
  } finally {
    await model.close();
  }
}

function headlessArgs(prompt: string): string[] {
  const output = ["--output-format", "stream-json", "--verbose", "--include-hook-events"];
  return ["-p", prompt, "--model", "claude-sonnet-4-5", "--dangerously-skip-permissions", ...output];
}

function offlineEnvironment(home: string, temporary: string, modelUrl: string): Record<string, string> {
  return {
    HOME: home,
    PATH: cleanPath,
    TMPDIR: temporary,
    // As root the program refuses to skip permissions outside a sandbox.
    IS_SANDBOX: "1",
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: "sk-ant-not-a-key",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
  };
}

function readRun(exit: HostExit, model: ScriptedModel): ClaudeRun {
  const events = exit.stdout
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map(parseLine);
  const hookEvents = events.filter((event): event is HookEvent => event.subtype === "hook_response");
  const { exitCode, durationMs, stderr } = exit;
  return { exitCode, durationMs, events, hookEvents, stderr, model, story: tellStory(exit, hookEvents, model) };
}

/** A line that is no JSON is kept, so that a failure shows it. */
function parseLine(line: string): StreamEvent {
  try {
    return JSON.parse(line) as StreamEvent;
  } catch {
    return { type: "unparsed", line };
  }
}

function tellStory(exit: HostExit, hooks: readonly HookEvent[], { requests }: ScriptedModel): string {
  return [
    `--- Claude Code: exit ${exit.exitCode}, ${Math.round(exit.durationMs)} ms`,
    ...(exit.stderr.trim() === "" ? [] : [`stderr: ${shorten(exit.stderr)}`]),
    `--- hooks (${hooks.length})`,
    ...hooks.map(tellHook),
    `--- model requests (${requests.length})`,
    ...requests.map((request, index) => tellRequest(request, requests.slice(0, index))),
    ...(requests.length === 0 ? [`stdout: ${shorten(exit.stdout)}`] : []),
  ].join("\n");
}

function tellHook({ hook_name, outcome, exit_code, stdout, stderr }: HookEvent): string {
  const outputs = [
    ["stdout", stdout],
    ["stderr", stderr],
  ].filter(([, output]) => output);
  return [
    `${hook_name}: ${outcome}, exit ${exit_code ?? "-"}`,
    ...outputs.map(([name, output]) => `  ${name}: ${shorten(output ?? "")}`),
  ].join("\n");
}

/** Only what is new: each request repeats its conversation, and the first of a lane is mostly the host's own text. */
function tellRequest({ path, lane, turn, answer }: RecordedRequest, earlier: readonly RecordedRequest[]): string {
  const sameLane = earlier.filter((request) => request.lane === lane);
  const told = new Set(sameLane.flatMap((request) => request.turn?.texts ?? []));
  const maxLength = sameLane.length === 0 ? 200 : 700;
  return [
    `[${lane}] ${path}`,
    ...(turn?.texts ?? []).filter((text) => !told.has(text)).map((text) => `  told: ${shorten(text, maxLength)}`),
    ...(answer ? [`  said: ${shorten(JSON.stringify(answer))}`] : []),
  ].join("\n");
}

function shorten(text: string, maxLength = 700): string {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length <= maxLength ? line : `${line.slice(0, maxLength)} … (${line.length} characters)`;
}
