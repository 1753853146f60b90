/** Proposals one after another, at a terminal: what is proposed, what is there already, and what a person says to it. */
import { isCancel, select, text } from "@clack/prompts";
import { HoldfastError } from "../../core/errors.ts";
import { isFolder } from "../../knowledge/base/folder.ts";
import type { ProposedNode } from "../../knowledge/curation/contracts.ts";
import { accept, type Deed, keepForLater, merge, reject, setAgainst, undo } from "../../knowledge/curation/curate.ts";
import { readDecisions } from "../../knowledge/curation/decisions.ts";
import { mergedNode } from "../../knowledge/curation/proposed-node.ts";
import { type Proposal, readQueue } from "../../knowledge/curation/queue.ts";
import type { CommandCall, ExitCode } from "../cli/command.ts";
import { difference, paintDifference } from "../cli/difference.ts";
import { printError } from "../cli/output.ts";
import { visible } from "../cli/visible.ts";
import { compared, tellRest, told } from "./curate.ts";
import { draftText, readDraft } from "./draft.ts";
import { editText } from "./editor.ts";
import type { OpenKnowledge } from "./opened.ts";

type Answer = "accept" | "edit" | "merge" | "contradict" | "reject" | "later" | "undo" | "stop";

export async function reviewProposals(call: CommandCall, opened: OpenKnowledge): Promise<ExitCode> {
  const { output } = call;
  /** Decided here, the latest last. */
  const passed = new Set<string>();
  for (;;) {
    const queue = await readQueue(opened.places);
    const open = queue.proposals.filter(({ origin }) => !passed.has(origin));
    const [proposal] = open;
    if (!proposal) {
      tellRest(queue, output);
      if (passed.size > 0) output.line("look at what was written with git diff, then commit it");
      return 0;
    }
    show(proposal, call, opened);
    const last = lastDecided(passed, opened);
    const answer = await asked(open.length, last !== undefined);
    if (answer === undefined || answer === "stop") return answer === "stop" ? 0 : 130;
    try {
      const deed = answer === "undo" ? await undo(opened, last) : await perform(answer, proposal, call, opened);
      if (deed === undefined) continue;
      passed.delete(deed.origin);
      if (answer !== "undo") passed.add(deed.origin);
      told(deed, output, answer === "undo" ? "taken back" : undefined);
    } catch (error) {
      // Told, and the same proposal is shown again: nothing was decided.
      if (!(error instanceof HoldfastError)) throw error;
      printError(error, output, call.cwd);
    }
  }
}

/** Of what was decided here, and stands: others decide too, and theirs is not for this person to take back unseen. */
function lastDecided(passed: ReadonlySet<string>, { places }: OpenKnowledge): string | undefined {
  const decisions = readDecisions(places);
  return [...passed].filter((origin) => decisions.has(origin)).at(-1);
}

/** Words of a transcript: none of them may move the cursor or colour the screen. */
function show(proposal: Proposal, { output }: CommandCall, opened: OpenKnowledge): void {
  const { candidate, origin, source, isLater } = proposal;
  const { similar } = compared(proposal, opened);
  const { type, confidence, tags, title, description, body } = candidate;
  const host = source.host ? ` (${source.host})` : "";
  output.line();
  output.line(`${output.paint("bold", visible(title))}   ${output.paint("dim", visible(origin))}`);
  output.line(`${type} · ${confidence} confidence · ${tags.map((tag) => `#${visible(tag)}`).join(" ")}`);
  output.line(output.paint("dim", visible(`from ${source.reference}${host}${isLater ? " · put off before" : ""}`)));
  output.line(visible(description));
  output.line();
  for (const line of body.split("\n")) output.line(`  ${visible(line)}`);
  const [nearest] = similar;
  if (!nearest) return;
  output.line();
  output.line(output.paint("yellow", "there is already:"));
  for (const { node, score } of similar)
    output.line(`  ${node.id}  ${visible(node.title)}  (${Math.round(score * 100)} % alike)`);
  const merged = mergedNode(nearest.node, proposal);
  const now = { text: `${nearest.node.body}\n`, title: "now" };
  for (const line of difference(nearest.node.path, now, { text: `${merged.body}\n`, title: "merged" }))
    output.line(`  ${paintDifference(line, output)}`);
}

async function asked(left: number, mayUndo: boolean): Promise<Answer | undefined> {
  const answer = await select<Answer>({
    message: `What shall become of it? (${left} left)`,
    options: [
      { value: "accept", label: "accept", hint: "a node of its own" },
      { value: "edit", label: "edit, then accept", hint: "in your editor" },
      { value: "merge", label: "merge into a node" },
      { value: "contradict", label: "it contradicts a node", hint: "written down for people to settle" },
      { value: "reject", label: "reject" },
      { value: "later", label: "later" },
      ...(mayUndo ? [{ value: "undo" as const, label: "undo your last decision" }] : []),
      { value: "stop", label: "stop here" },
    ],
  });
  return isCancel(answer) ? undefined : answer;
}

/** Undefined: the person thought better of it. */
async function perform(
  answer: Exclude<Answer, "stop" | "undo">,
  proposal: Proposal,
  { env }: CommandCall,
  opened: OpenKnowledge,
): Promise<Deed | undefined> {
  switch (answer) {
    case "accept":
      return accepted(proposal, proposal.candidate, opened);
    case "edit":
      return accepted(proposal, edited(proposal.candidate, env), opened);
    case "merge": {
      const target = await askNode(proposal, opened);
      return target === undefined ? undefined : merge(opened, proposal, target);
    }
    case "contradict": {
      const target = await askNode(proposal, opened);
      const why = target === undefined ? undefined : await askText("What is the contradiction?", "");
      return target === undefined || why === undefined ? undefined : setAgainst(opened, proposal, target, why);
    }
    case "reject":
      return reject(opened, proposal);
    case "later":
      return keepForLater(opened, proposal);
  }
}

/** What a draft does not show stays as it was proposed. */
const edited = (candidate: ProposedNode, env: CommandCall["env"]): ProposedNode => ({
  ...candidate,
  ...readDraft(editText(draftText(candidate), "proposal.md", env)),
});

async function accepted(proposal: Proposal, candidate: ProposedNode, opened: OpenKnowledge): Promise<Deed | undefined> {
  const { folder } = compared({ ...proposal, candidate }, opened);
  const answer = await text({
    message: "In which folder of nodes/? (empty: at the top)",
    initialValue: visible(folder),
    validate: (value) => (isFolder(value ?? "") ? undefined : "name a folder inside nodes/, such as build/tests"),
  });
  return isCancel(answer) ? undefined : accept(opened, proposal, candidate, answer ?? "");
}

async function askNode(proposal: Proposal, opened: OpenKnowledge): Promise<string | undefined> {
  const { similar } = compared(proposal, opened);
  if (similar.length > 0) {
    const answer = await select({
      message: "Which node?",
      options: [
        ...similar.map(({ node }) => ({ value: node.id, label: visible(node.title), hint: visible(node.id) })),
        { value: "", label: "another" },
      ],
    });
    if (isCancel(answer)) return undefined;
    if (answer !== "") return answer;
  }
  return askText("The node's id?", "");
}

async function askText(message: string, initialValue: string): Promise<string | undefined> {
  const answer = await text({
    message,
    initialValue,
    validate: (value) => ((value ?? "").trim() === "" ? "say it in a few words" : undefined),
  });
  return isCancel(answer) ? undefined : answer.trim();
}
