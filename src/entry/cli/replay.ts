/** `holdfast replay`: what was recorded, judged again by today's rules or by another config; shows what would change. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { FORMATS } from "../../config/places.ts";
import { decide } from "../../core/engine.ts";
import { HoldfastError } from "../../core/errors.ts";
import type { AgentEvent } from "../../core/event.ts";
import { isJsonObject } from "../../core/json.ts";
import { journalOf } from "../../engine/journals.ts";
import { readyEngine } from "../../engine/ready.ts";
import { hostById } from "../../hosts/registry.ts";
import { readRecords } from "../../records/read.ts";
import { type CommandCall, type ExitCode, textFlag } from "./command.ts";
import { localTime, oneLine } from "./log.ts";
import { DECISION_COLOURS } from "./outcome.ts";

export async function run(call: CommandCall): Promise<ExitCode> {
  const { output, env, cwd, distDir } = call;
  const config = configDir(call);
  const here = await readyEngine(cwd, env, distDir);
  const judge = config ? await readyEngine(cwd, { ...env, HOLDFAST_CONFIG_DIR: config }, distDir) : here;
  const session = textFlag(call, "session");
  const changes: { at: string; event: string; what: string; was: string; now: string; reason: string }[] = [];
  let judged = 0;
  try {
    for await (const record of readRecords(journalOf("audit", here.plan, here.places), {})) {
      if (session !== undefined && record.session !== session) continue;
      const event = record.input as AgentEvent;
      // What was not kept cannot be judged again.
      const host = typeof event === "object" ? hostById(event.host) : undefined;
      if (!host) continue;
      const decision = await decide(event, judge.hooks, {
        tools: host.tools,
        clock: () => 0,
        signal: new AbortController().signal,
        context: { maxCharacters: judge.plan.settings.maxContextCharacters, told: () => false },
        maxContinuations: 1,
      });
      judged += 1;
      if (process.stderr.isTTY && judged % 500 === 0) output.note(`${judged} judged …`);
      const was = isAnswered(record.notes) ? "ask" : String(record.decision);
      if (decision.kind === was) continue;
      const what =
        "tool" in event
          ? `${event.tool.name} ${event.tool.kind === "shell" ? event.tool.command : event.tool.paths.join(" ")}`
          : "";
      changes.push({
        at: event.at,
        event: event.name,
        what,
        was,
        now: decision.kind,
        reason: decision.reasons[0]?.text ?? "",
      });
    }
  } finally {
    await here.close();
    if (judge !== here) await judge.close();
  }
  if (output.json) output.data({ judged, changes });
  else {
    for (const { at, what, event, was, now, reason } of changes) {
      const colour = DECISION_COLOURS[now] ?? "dim";
      output.line(`${localTime(at)}  ${was} -> ${output.paint(colour, now)}  ${event}  ${oneLine(what)}`);
      if (reason) output.line(`          ${oneLine(reason)}`);
    }
    const counts = [...new Set(changes.map(({ now }) => now))].map(
      (kind) => `${changes.filter(({ now }) => now === kind).length} now ${kind}`,
    );
    if (judged === 0)
      output.note(`no decision is recorded here${session === undefined ? "" : ` of session ${session}`}`);
    output.line(
      `${judged} judged again, ${changes.length} would change${counts.length > 0 ? `: ${counts.join(", ")}` : ""}`,
    );
  }
  return changes.length > 0 ? 1 : 0;
}

/** Without a file in it nothing would be judged by it, and nothing would seem to change. */
function configDir(call: CommandCall): string | undefined {
  const written = textFlag(call, "config");
  if (written === undefined) return undefined;
  const dir = resolve(call.cwd, written);
  if (FORMATS.some((format) => existsSync(join(dir, `holdfast.${format}`)))) return dir;
  throw new HoldfastError("HF701", `--config ${dir} has no holdfast.yaml, .yml, .toml or .json`);
}

/** People were asked, and what is recorded is what they said. Here nobody is asked. */
const isAnswered = (notes: unknown) =>
  Array.isArray(notes) && notes.some((note) => isJsonObject(note) && "approval" in note);
