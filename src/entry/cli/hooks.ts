/** `holdfast hooks`: the one ordered list; `hooks run` judges an event from a file. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { HoldfastError } from "../../core/errors.ts";
import { readyEngine } from "../../engine/ready.ts";
import { type CommandCall, type ExitCode, textFlag } from "./command.ts";
import { explainPayload, parsePayloadText } from "./explain.ts";
import { near, table } from "./output.ts";
import { unknownWord } from "./unknown-word.ts";

export async function run(call: CommandCall): Promise<ExitCode> {
  const [verb] = call.words;
  const file = textFlag(call, "event");
  if (verb === "run" && textFlag(call, "phase") !== undefined)
    return (await import("./hooks-phase.ts")).runPhaseOf(call);
  if (verb === "validate") return (await import("./check.ts")).run(call);
  if ((verb === undefined || verb === "list") && file === undefined) return list(call);
  const usage = "holdfast hooks run --event event.json";
  const words = ["list", "run", "validate"];
  if (verb !== undefined && !words.includes(verb)) throw unknownWord("hooks", verb, words, usage);
  if (verb !== "run" || !file) {
    const problem = verb === "run" ? "hooks run needs --event file.json" : "--event is for hooks run";
    throw new HoldfastError("HF701", problem, { hint: usage });
  }
  return explainPayload({ payload: parsePayloadText(readEvent(resolve(call.cwd, file)), file) }, call);
}

function readEvent(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new HoldfastError("HF301", `cannot read ${file}: ${(error as Error).message}`, {
      hint: "give a file with one JSON object, as the host sends it",
    });
  }
}

async function list({ output, env, cwd, distDir }: CommandCall): Promise<ExitCode> {
  const { plan, close } = await readyEngine(cwd, env, distDir);
  await close();
  if (output.json) {
    output.data({
      root: plan.root,
      digest: plan.digest,
      errors: plan.errors,
      hooks: plan.hooks.map((hook, index) => ({ order: index + 1, ...hook })),
    });
    return plan.errors.length > 0 ? 3 : 0;
  }
  const rows = plan.hooks.map((hook, index) => [
    String(index + 1),
    hook.layer,
    hook.name,
    hook.on.join(","),
    hook.matcher?.source ?? "*",
    `on_error ${hook.onError}`,
    hook.mode ?? "enforce",
    hook.trust === "not-needed" ? "" : output.paint(hook.trust === "trusted" ? "green" : "yellow", hook.trust),
    hook.place ? `${near(hook.place.file, cwd)}${hook.place.line ? `:${hook.place.line}` : ""}` : "shipped",
  ]);
  for (const line of table([["#", "layer", "hook", "events", "matcher", "failure", "mode", "trust", "where"], ...rows]))
    output.line(line);
  if (plan.errors.length > 0) output.note(`${plan.errors.length} error(s) in the config: holdfast check`);
  return plan.errors.length > 0 ? 3 : 0;
}
