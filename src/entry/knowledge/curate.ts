/** `holdfast knowledge curate`: at a terminal one proposal after another; with flags one decision, for skills and scripts. */
import { HoldfastError } from "../../core/errors.ts";
import { readTree } from "../../knowledge/base/tree.ts";
import { performActions, readActions } from "../../knowledge/curation/actions.ts";
import { accept, type Deed, keepForLater, merge, reject, setAgainst, undo } from "../../knowledge/curation/curate.ts";
import { type Proposal, proposalNamed, type Queue, readQueue } from "../../knowledge/curation/queue.ts";
import { settleSessions } from "../../knowledge/curation/settle.ts";
import { similarNodes, suggestedFolder } from "../../knowledge/curation/similar.ts";
import { type CommandCall, type ExitCode, textFlag } from "../cli/command.ts";
import { near, type Output } from "../cli/output.ts";
import { visible } from "../cli/visible.ts";
import { parseInput, readInput } from "./input.ts";
import { type OpenKnowledge, openKnowledge } from "./opened.ts";

const DECIDING = ["accept", "merge", "contradict", "reject", "later", "actions", "undo", "list"] as const;

export async function run(call: CommandCall, [word]: readonly string[]): Promise<ExitCode> {
  const given = DECIDING.filter((flag) => call.flags[flag] !== undefined);
  const [deed, second] = given;
  if (second) throw new HoldfastError("HF701", `--${deed} and --${second} exclude each other`);
  if (word !== undefined && deed !== "undo") throw new HoldfastError("HF701", `unexpected argument "${word}"`);
  const opened = await openKnowledge(call);
  if (deed !== "list") await settleSessions(opened);
  switch (deed) {
    case undefined:
      return review(call, opened);
    case "list":
      return list(call, opened);
    case "actions":
      return actions(call, opened);
    case "undo":
      return told(await undo(opened, word), call.output, "taken back");
    default:
      return told(await decide(deed, call, opened), call.output);
  }
}

async function decide(
  deed: "accept" | "merge" | "contradict" | "reject" | "later",
  call: CommandCall,
  opened: OpenKnowledge,
): Promise<Deed> {
  const proposal = proposalNamed(await readQueue(opened.places), textFlag(call, deed) ?? "");
  switch (deed) {
    case "accept":
      return accept(
        opened,
        proposal,
        proposal.candidate,
        textFlag(call, "folder") ?? compared(proposal, opened).folder,
      );
    case "merge":
      return merge(opened, proposal, needed(call, "into"));
    case "contradict":
      return setAgainst(opened, proposal, needed(call, "into"), needed(call, "reason"));
    case "reject":
      return reject(opened, proposal);
    case "later":
      return keepForLater(opened, proposal);
  }
}

function needed(call: CommandCall, flag: string): string {
  const value = textFlag(call, flag);
  if (value !== undefined && value !== "") return value;
  throw new HoldfastError("HF701", `it needs --${flag}`, { hint: "holdfast knowledge --help shows what it takes" });
}

/** What a proposal is judged against. */
export function compared({ candidate, source }: Proposal, { places }: OpenKnowledge) {
  const { nodes } = readTree(places.nodesDir);
  const similar = similarNodes(candidate, nodes);
  return { nodes, similar, folder: suggestedFolder(candidate, similar, nodes, source.folder) };
}

async function list({ output }: CommandCall, opened: OpenKnowledge): Promise<ExitCode> {
  const queue = await readQueue(opened.places);
  if (output.json) {
    output.data({ ...queue, proposals: queue.proposals.map((proposal) => withComparison(proposal, opened)) });
    return 0;
  }
  for (const { origin, candidate, isLater } of queue.proposals)
    output.line(
      `${output.paint("bold", visible(origin))}  ${candidate.type}  ${visible(candidate.title)}${isLater ? "  (put off)" : ""}`,
    );
  tellRest(queue, output);
  return 0;
}

function withComparison(proposal: Proposal, opened: OpenKnowledge) {
  const { similar, folder } = compared(proposal, opened);
  return {
    ...proposal,
    folder,
    similar: similar.map(({ node, score }) => ({ id: node.id, path: node.path, title: node.title, score })),
  };
}

export function tellRest({ proposals, problems, pendingSessions, failedSessions }: Queue, output: Output): void {
  if (proposals.length === 0) output.line("no proposal waits");
  if (pendingSessions > 0) output.line(`${pendingSessions} sessions wait until proposals are made of them`);
  if (failedSessions > 0) output.line(`of ${failedSessions} sessions no proposals could be made`);
  for (const { where, message } of problems)
    output.line(`${output.paint("red", "problem")}  ${visible(`${where}  ${message}`)}`);
}

async function actions(call: CommandCall, opened: OpenKnowledge): Promise<ExitCode> {
  const { output } = call;
  const path = textFlag(call, "actions") ?? "-";
  const performed = await performActions(opened, readActions(parseInput(await readInput(path, call), path)));
  if (output.json) output.data(performed);
  else {
    for (const { outcome, origin, nodeId, message } of performed.results)
      output.line(visible([outcome, origin, nodeId, message].filter(Boolean).join("  ")));
    const { written, conflicts, dropped, failed } = performed;
    output.line(`${written} written, ${conflicts} conflicts, ${dropped} dropped, ${failed} failed`);
  }
  return performed.failed > 0 ? 1 : 0;
}

export function told(deed: Deed, output: Output, word: string = deed.decision): ExitCode {
  if (output.json) output.data(deed);
  else {
    const { origin, nodeId, file, indexProblem, unsettled } = deed;
    output.line(`${output.paint("green", word)}  ${origin}${nodeId ? `  ${nodeId}` : ""}${file ? `  ${file}` : ""}`);
    if (indexProblem !== undefined) output.note(`the generated pages were not made anew: ${indexProblem}`);
    if (unsettled !== undefined) output.note(`the session's log says so with your next decision: ${unsettled}`);
  }
  return 0;
}

async function review(call: CommandCall, opened: OpenKnowledge): Promise<ExitCode> {
  if (call.output.json || !process.stdin.isTTY || !process.stdout.isTTY) {
    throw new HoldfastError("HF701", "reviewing proposals needs a terminal", {
      hint: `use --list, --accept, --merge, --reject or --later (base: ${near(opened.places.dir, call.cwd)})`,
    });
  }
  const { reviewProposals } = await import("./review.ts");
  return reviewProposals(call, opened);
}
