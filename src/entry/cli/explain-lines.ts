/** `holdfast explain --jsonl`: one command or payload per line in, one verdict per line out, in order. */
import { resolve } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { HoldfastError } from "../../core/errors.ts";
import { type ReadyEngine, readyEngine } from "../../engine/ready.ts";
import type { CommandCall, ExitCode } from "./command.ts";
import { chosenHost, judge, parseNative, parsePayloadText, shellPayload, standing, verdictOf } from "./explain.ts";

/** Thousands per second: engines are kept per directory, and what came together is answered together, at once. */
export async function explainLines(call: CommandCall): Promise<ExitCode> {
  const engines = new Map<string, Promise<ReadyEngine>>();
  const setting: Setting = {
    call,
    host: chosenHost(call),
    cwd: standing(call),
    engineAt(cwd) {
      const engine = engines.get(cwd) ?? readyEngine(cwd, call.env, call.distDir, undefined, { rehearsal: true });
      engines.set(cwd, engine);
      return engine;
    },
  };
  let code: ExitCode = 0;
  for await (const lines of linesOf(process.stdin)) {
    let answers = "";
    for (const line of lines) {
      const { verdict, bad } = await answerLine(line, setting);
      if (bad) code = 3;
      answers += `${JSON.stringify(verdict)}\n`;
    }
    process.stdout.write(answers);
  }
  for (const engine of engines.values()) await (await engine).close();
  return code;
}

interface Setting {
  readonly call: CommandCall;
  readonly host: ReturnType<typeof chosenHost>;
  readonly cwd: string;
  engineAt(cwd: string): Promise<ReadyEngine>;
}

async function answerLine(line: string, setting: Setting) {
  try {
    return { verdict: await explainLine(line, setting), bad: false };
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    return { verdict: { decision: "block", rules: [error.code], reason: error.message }, bad: true };
  }
}

async function explainLine(line: string, { call, host, cwd: standing, engineAt }: Setting) {
  const value = parsePayloadText(line, "this line");
  const isPayload = typeof value.hook_event_name === "string";
  if (!isPayload && typeof value.command !== "string") {
    throw new HoldfastError("HF301", `this line has neither a command nor a hook_event_name: ${line.slice(0, 80)}`);
  }
  const cwd = resolve(standing, typeof value.cwd === "string" ? value.cwd : "");
  const payload = isPayload ? { payload: value } : shellPayload(value.command as string, cwd, host);
  return verdictOf(await judge(parseNative(host, payload, call), host, await engineAt(cwd)), host);
}

/** The lines that came with each chunk; blank ones are no question. */
async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  const decoder = new StringDecoder("utf8");
  const asked = (lines: readonly string[]) => lines.filter((line) => line.trim() !== "");
  let rest = "";
  for await (const chunk of input) {
    const text = decoder.write(chunk);
    const end = text.lastIndexOf("\n");
    if (end >= 0) yield asked((rest + text.slice(0, end)).split("\n"));
    rest = end >= 0 ? text.slice(end + 1) : rest + text;
  }
  yield asked([rest + decoder.end()]);
}
