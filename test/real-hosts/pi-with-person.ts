import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { ModelScript } from "../../src/proof/script.ts";
import { type ScriptedModel, startScriptedModel } from "../../src/proof/scripted-model.ts";
import { chatCompletionsWire } from "../../src/proof/wires/chat-completions.ts";
import { offlineProgram } from "./guarded-host.ts";
import { holdfastEnvironment } from "./holdfast.ts";
import { installedHost } from "./installed-host.ts";
import type { Scratch } from "./scratch.ts";

/** One line of pi's protocol. */
// biome-ignore lint/suspicious/noExplicitAny: what is read here is what the tests are about
type Line = Readonly<Record<string, any>>;

export interface PiWithPerson {
  readonly model: ScriptedModel;
  /** Every question that the person was asked. */
  readonly questions: readonly string[];
  /** Everything the person was shown. */
  readonly shown: readonly string[];
  /** Says this to pi, and waits until it has nothing more to do; `during`: once a tool runs. */
  prompt(text: string, during?: () => void): Promise<void>;
  command(line: Line): Promise<Line>;
  send(line: Line): void;
}

/** pi in the mode that editors use: somebody is there who can be asked and shown things. */
export async function withPi(
  scratch: Scratch,
  script: ModelScript,
  says: (question: string) => boolean,
  story: (pi: PiWithPerson) => Promise<void>,
): Promise<void> {
  const model = await startScriptedModel(script, chatCompletionsWire);
  const { projectDir, home: homeDir } = scratch;
  const { args, env, seeds } = offlineProgram("pi").run({ modelUrl: model.url, homeDir, projectDir, prompt: "" });
  for (const { path, text } of seeds) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text(existsSync(path) ? readFileSync(path, "utf8") : undefined));
  }
  const { command, path } = await installedHost("pi");
  const [program = "", ...before] = command;
  const child = spawn(program, [...before, ...args.slice(0, args.indexOf("--mode")), "--mode", "rpc"], {
    cwd: projectDir,
    env: { HOME: homeDir, PATH: path, TERM: "dumb", ...env, ...holdfastEnvironment(scratch) },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const questions: string[] = [];
  const shown: string[] = [];
  const waiting = new Set<(line: Line) => void>();
  let stderr = "";
  let rest = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  child.stdout.on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines.filter(Boolean)) receive(JSON.parse(line));
  });

  const send = (line: Line) => child.stdin.write(`${JSON.stringify(line)}\n`);

  function receive(line: Line): void {
    if (line.type === "extension_ui_request" && line.method === "confirm") {
      questions.push(line.message);
      send({ type: "extension_ui_response", id: line.id, confirmed: says(line.message) });
    }
    if (line.type === "extension_ui_request" && line.method === "notify") shown.push(line.message);
    for (const look of waiting) look(line);
  }

  const seen = (wanted: (line: Line) => boolean) =>
    new Promise<Line>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`pi did not get so far\n${stderr}`)), 30_000);
      const look = (line: Line) => {
        if (!wanted(line)) return;
        clearTimeout(late);
        waiting.delete(look);
        resolve(line);
      };
      waiting.add(look);
    });

  try {
    await story({
      model,
      questions,
      shown,
      send,
      async command(line) {
        const answered = seen(({ type, command }) => type === "response" && command === line.type);
        send(line);
        return answered;
      },
      async prompt(message, during) {
        const settled = seen(({ type }) => type === "agent_settled");
        const working = during ? seen(({ type }) => type === "tool_execution_start").then(during) : undefined;
        send({ type: "prompt", message });
        await Promise.all([settled, working]);
      },
    });
  } finally {
    child.stdin.end();
    const limit = setTimeout(() => child.kill("SIGKILL"), 5_000);
    await ended;
    clearTimeout(limit);
    await model.close();
  }
}
