/** `holdfast agent`: the reference agent on a task, live, under the rules of the place. */
import { resolve } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { isCancel, select } from "@clack/prompts";
import { createAgent } from "../../agent/agent.ts";
import type { TurnResult } from "../../agent/loop.ts";
import { type PermissionMode, permissionModeNamed } from "../../agent/permission-mode.ts";
import type { StreamEvent } from "../../agent/stream-event.ts";
import { HoldfastError } from "../../core/errors.ts";
import type { PersonAnswer, Question } from "../../embed/tool-call.ts";
import { keptConversation } from "./agent-conversation.ts";
import { linesOf } from "./agent-lines.ts";
import { modelOf } from "./agent-model.ts";
import { type CommandCall, type ExitCode, textFlag } from "./command.ts";
import { interruption } from "./interruption.ts";
import { assertPerson, surroundings } from "./person.ts";
import { visible } from "./visible.ts";

const INSTRUCTIONS =
  "You work in a directory on a person's machine, with the tools you are given. Do what is asked, check it, and say briefly what you did. Where a call is blocked, heed the reason: do not try to get around it.";

export async function run(call: CommandCall): Promise<ExitCode> {
  const { output, env, distDir } = call;
  const [word = ""] = call.words;
  const cwd = resolve(call.cwd, textFlag(call, "cwd") ?? ".");
  const permissionMode = modeOf(call);
  const kept = keptConversation(call);
  const model = await modelOf({ ...call, cwd });
  const task = word === "-" ? await textOf(process.stdin) : word;
  const show = (event: StreamEvent) => {
    if (output.json) output.line(JSON.stringify(event));
    else for (const line of linesOf(event, output)) output.line(line);
  };
  const ask = personIsThere(call) ? oneAtATime(askPerson) : undefined;
  const agent = await createAgent({
    model,
    instructions: INSTRUCTIONS,
    cwd,
    env,
    distDir,
    onEvent: show,
    onRemark: (remark) => output.note(`holdfast: ${remark}`),
    ...(ask ? { ask } : {}),
  });
  try {
    const earlier = kept ? { id: kept.id, ...(kept.messages ? { messages: kept.messages } : {}) } : {};
    const conversation = await agent.open({ permissionMode, ...earlier });
    kept?.save(conversation.messages);
    const result = await conversation.send(task, { signal: interruption() });
    kept?.save(conversation.messages);
    await conversation.end(result.status);
    if (result.status !== "completed" && !output.json) output.note(`${result.status}: ${result.text}`);
    return EXIT_CODES[result.status];
  } finally {
    await agent.close();
  }
}

const EXIT_CODES: Readonly<Record<TurnResult["status"], ExitCode>> = {
  completed: 0,
  limit: 1,
  failed: 4,
  refused: 2,
  stopped: 2,
  cancelled: 130,
};

function modeOf(call: CommandCall): PermissionMode {
  const name = textFlag(call, "mode") ?? "default";
  const mode = permissionModeNamed(name);
  if (mode === undefined) {
    throw new HoldfastError("HF701", `there is no mode "${name}"`, {
      hint: "modes: default (asks before it changes anything), plan (only reads), accept_edits, bypass",
    });
  }
  return mode;
}

/** An agent that runs this command cannot answer in the person's place: what would be asked is blocked then. */
function personIsThere({ env, output }: CommandCall): boolean {
  if (output.json) return false;
  try {
    assertPerson(surroundings(env), "agent");
    return true;
  } catch {
    return false;
  }
}

async function askPerson({ tool, reason }: Question): Promise<PersonAnswer> {
  const answer = await select({
    message: visible(`${reason}\n${tool.name} ${JSON.stringify(tool.input)}`),
    options: [
      { value: "once", label: "yes, this once" },
      { value: "always", label: "yes, always in this session" },
      { value: "no", label: "no" },
      { value: "never", label: "no, never in this session" },
    ],
  });
  if (isCancel(answer)) return { allow: false };
  return { allow: answer === "once" || answer === "always", always: answer === "always" || answer === "never" };
}

/** Calls run side by side; a terminal shows one question at a time. */
function oneAtATime(ask: (question: Question) => Promise<PersonAnswer>): (question: Question) => Promise<PersonAnswer> {
  let last: Promise<unknown> = Promise.resolve();
  return (question) => {
    const answer = last.then(() => (question.signal?.aborted ? { allow: false as const } : ask(question)));
    last = answer.catch(() => {});
    return answer;
  };
}
