/** `holdfast knowledge add`: one node, checked before it is written. Prints its id and nothing else. */
import { HoldfastError } from "../../core/errors.ts";
import { nearest } from "../../core/nearest.ts";
import { addNode, type NewNode } from "../../knowledge/base/change-nodes.ts";
import { CONFIDENCES, NODE_TYPES } from "../../knowledge/base/node.ts";
import { proposeNode } from "../../knowledge/curation/propose.ts";
import { type CommandCall, type ExitCode, textFlag } from "../cli/command.ts";
import { names, readInput } from "./input.ts";
import { openKnowledge } from "./opened.ts";

export async function run(call: CommandCall): Promise<ExitCode> {
  const { output, flags } = call;
  const opened = await openKnowledge(call);
  const node = await nodeOf(call);
  const folder = textFlag(call, "folder");
  if (flags["dry-run"]) {
    output.data({ node, folder: folder ?? "", dryRun: true });
    return 0;
  }
  if (flags.propose) {
    const proposed = await proposeNode(opened, node, folder);
    if (output.json) output.data(proposed);
    else output.line(proposed.origin);
    if (!proposed.isNew) output.note("the very same waits for review already");
    return 0;
  }
  const change = await addNode(opened, node, { folder, slug: textFlag(call, "slug") });
  const problem = "problem" in change.index ? change.index.problem : undefined;
  if (output.json) output.data({ id: change.id, path: change.path, ...(problem ? { indexProblem: problem } : {}) });
  else output.line(change.id);
  if (problem !== undefined) output.note(`the generated pages were not made anew: ${problem}`);
  return 0;
}

async function nodeOf(call: CommandCall): Promise<NewNode> {
  const type = oneOf(call, "type", NODE_TYPES);
  const confidence = oneOf(call, "confidence", CONFIDENCES, "high");
  const title = needed(call, "title");
  const description = needed(call, "description");
  const from = textFlag(call, "from");
  const given = textFlag(call, "body");
  if (given !== undefined && from !== undefined)
    throw new HoldfastError("HF701", "--body and --from exclude each other");
  if (given === undefined && from === undefined && process.stdin.isTTY)
    throw new HoldfastError("HF701", "the node has no body", { hint: "give --body, --from, or the text on stdin" });
  return {
    type,
    title,
    description,
    tags: names(call, "tags"),
    body: given ?? (await readInput(from ?? "-", call)),
    confidence,
    relatesTo: names(call, "relates-to"),
    dependsOn: names(call, "depends-on"),
    derivedFrom: names(call, "derived-from"),
  };
}

function needed(call: CommandCall, flag: string): string {
  const value = textFlag(call, flag);
  if (value !== undefined && value.trim() !== "") return value;
  throw new HoldfastError("HF701", `a node needs --${flag}`, { hint: "holdfast knowledge --help shows all it takes" });
}

function oneOf<T extends string>(call: CommandCall, flag: string, values: readonly T[], standard?: T): T {
  const given = textFlag(call, flag) ?? standard;
  const found = values.find((value) => value === given);
  if (found !== undefined) return found;
  const meant = given === undefined ? undefined : nearest(given, values);
  throw new HoldfastError("HF701", given === undefined ? `a node needs --${flag}` : `--${flag} cannot be "${given}"`, {
    hint: meant ? `did you mean ${meant}?` : `one of ${values.join(", ")}`,
  });
}
