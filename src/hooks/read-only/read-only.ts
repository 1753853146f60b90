/** Nothing is written: a call passes only where it can be told that it reads. */
import type { EventOf } from "../../core/event.ts";
import { flag, list, type ShapeOf, text } from "../../core/fields.ts";
import { NO_OPINION, type Verdict } from "../../core/verdict.ts";
import type { BuiltinHook, Machine } from "../builtin.ts";
import { wildcardMatches } from "../path-glob.ts";
import { readOnlyHint } from "../tool-annotations.ts";
import { namesTool } from "../tool-glob.ts";
import { proofOf } from "./input-proofs.ts";
import { writingCommand } from "./reading-commands.ts";

const OPTIONS = {
  organisations: list(text(), "only for users of these organisations; empty: for everybody"),
  "by-switch": flag("only while the admins of the user's organisation have it switched on (holdfast serve)"),
  reads: list(text(), "globs of tools that are known to only read, such as `mcp:crm/get_*`"),
  commands: list(text(), "globs of whole shell commands that may run although nobody can tell that they only read"),
};
type Options = ShapeOf<typeof OPTIONS>;

export const readOnly: BuiltinHook = {
  name: "read-only",
  doc: "blocks every call that writes, or of which nobody can tell that it only reads",
  on: ["pre_tool_use"],
  answers: ["block"],
  guards: true,
  optIn: true,
  onError: "block",
  priority: 5,
  options: OPTIONS,
  defaults: { organisations: [], "by-switch": false, reads: [], commands: [] },
  loosening: ["organisations", "by-switch", "reads", "commands"],
  judge(event, { options }, machine) {
    if (event.name !== "pre_tool_use") return NO_OPINION;
    const settings = options as unknown as Options;
    if (!isFor(settings, event)) return NO_OPINION;
    const why = whyNotReading(event, settings, machine);
    if (why === undefined) return NO_OPINION;
    if (!settings["by-switch"]) return blocked(why, "only reading is allowed here");
    return machine
      .isSwitchedReadOnly(event.organisation)
      .then((isOn) => (isOn ? blocked(why, "the organisation is switched to reading only") : NO_OPINION));
  },
};

type Call = EventOf<"pre_tool_use">;

const blocked = (why: string, rule: string): Verdict => ({
  opinion: {
    kind: "block",
    rule: "read-only",
    reason: `${why}, and ${rule}.\nDo instead: read what you need, and describe the change in your answer so that a person can make it.`,
  },
});

const isFor = ({ organisations }: Options, { organisation }: Call) =>
  organisations.length === 0 || (organisation !== undefined && organisations.includes(organisation));

/** undefined: it only reads. What says that it writes is believed before what says that it reads. */
function whyNotReading(event: Call, { reads, commands }: Options, machine: Machine): string | undefined {
  const { tool, cwd } = event;
  if (tool.kind === "write" || tool.kind === "edit") return `${tool.name} writes files`;
  if (tool.kind === "shell") {
    if (commands.some((glob) => wildcardMatches(glob, tool.command))) return undefined;
    const { invocations, effects } = machine.analyse(tool.command, cwd);
    return writingCommand(tool.command, invocations, effects);
  }
  if (namesTool(reads, tool)) return undefined;
  const hint = readOnlyHint(event.metadata);
  if (hint === false) return `${tool.name} is annotated as a tool that writes`;
  const proof = proofOf(tool);
  if (proof.use === "writes") return proof.why;
  if (READING_KINDS.has(tool.kind) || hint === true || proof.use === "reads") return undefined;
  return `nobody knows whether ${tool.name} writes (the person can list it under guards.read-only.reads)`;
}

/** A delegation only starts another agent, whose own calls are judged. */
const READING_KINDS: ReadonlySet<string> = new Set(["read", "search", "fetch", "delegate"]);
