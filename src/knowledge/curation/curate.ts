/** What a person does with a proposal. Each deed is one change of the base, remembered so that it can be taken back. */
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { HoldfastError } from "../../core/errors.ts";
import { proseOf } from "../base/body-sections.ts";
import {
  added,
  type Change,
  changed,
  type HeldBase,
  held,
  type NewNode,
  type OpenBase,
  undone,
} from "../base/change-nodes.ts";
import { oneLine } from "../base/node.ts";
import { readRedirects, resolveId } from "../base/redirects.ts";
import type { PlacedNode } from "../base/tree.ts";
import type { TakeLock } from "../lock.ts";
import { newRunId, writeConflict } from "./conflicts.ts";
import type { Candidate, ProposedNode } from "./contracts.ts";
import { type Decision, type Decisions, readDecisions, withDecision, writeDecisions } from "./decisions.ts";
import { mergedNode, nodeOf } from "./proposed-node.ts";
import type { Proposal } from "./queue.ts";
import { reopenSession, settleSessions } from "./settle.ts";

export interface Curator extends OpenBase {
  readonly takeLock: TakeLock;
  now(): Date;
}

export interface Deed {
  readonly origin: string;
  readonly decision: Decision["decision"];
  readonly nodeId?: string;
  /** What was written, from the project's root down. */
  readonly file?: string;
  /** Why the generated pages are not up to date after it. */
  readonly indexProblem?: string;
  /** Why its session's log does not say so yet; the next curation makes up for it. */
  readonly unsettled?: string;
}

/** Becomes a node of its own. `node` is the proposal as a person changed it. */
export const accept = (
  curator: Curator,
  proposal: Proposal,
  node: ProposedNode | Candidate,
  folder: string,
): Promise<Deed> =>
  decided(curator, proposal, "accepted", (base) => {
    const wanted = nodeOf(node, proposal, liveIds(base));
    const there = written(wanted, base.tree().nodes, readDecisions(base.places));
    return there ?? added(base, wanted, { folder });
  });

/** Goes into a node that is there: its text behind the node's, or `node` in place of the node. */
export const merge = (
  curator: Curator,
  proposal: Proposal,
  targetId: string,
  node?: ProposedNode | Candidate,
): Promise<Deed> =>
  decided(curator, proposal, "merged", (base) =>
    changed(base, liveId(base, targetId), (target) => mergedNode(target, proposal, { node, live: liveIds(base) })),
  );

export const reject = (curator: Curator, proposal: Proposal): Promise<Deed> => decided(curator, proposal, "rejected");

/** It stays in the queue, behind the others. */
export const keepForLater = (curator: Curator, proposal: Proposal): Promise<Deed> =>
  decided(curator, proposal, "later");

/** Written down for people to settle; no node is touched. */
export function setAgainst(
  curator: Curator,
  proposal: Proposal,
  targetId: string,
  rationale: string,
  runId = newRunId(curator.now()),
): Promise<Deed> {
  return decided(curator, proposal, "conflict", (base) => {
    const target = liveId(base, targetId);
    const file = writeConflict(base, {
      runId,
      detectedAt: curator.now().toISOString(),
      origin: proposal.origin,
      targetId: target,
      rationale,
      node: proposal.candidate,
    });
    const path = join(base.places.root, file);
    return { id: target, file: path, before: undefined, after: readFileSync(path, "utf8"), index: undefined };
  });
}

/** The latest decision, or the one on this proposal, taken back: the file as it was, the proposal open again. */
export async function undo(curator: Curator, origin?: string): Promise<Deed> {
  const decisions = readDecisions(curator.places);
  const expected = origin ?? [...decisions.keys()].at(-1);
  // First, since it may fail: a log that calls a proposal decided hides it for good once nothing is known of a decision.
  if (expected !== undefined && decisions.has(expected)) await reopenSession(curator, expected);
  try {
    const deed = await held(curator, (base) => takenBack(base, origin));
    // Again, since another decision may have been the latest, or somebody settled it meanwhile.
    await reopenSession(curator, deed.origin);
    return deed;
  } catch (error) {
    // What went wrong first is what a person has to hear; the next curation settles what this does not.
    await settleSessions(curator).catch(() => {});
    throw error;
  }
}

function takenBack(base: HeldBase, origin: string | undefined): Deed {
  const { places } = base;
  const decisions = readDecisions(places);
  const name = origin ?? [...decisions.keys()].at(-1);
  const decision = name === undefined ? undefined : decisions.get(name);
  if (name === undefined || decision === undefined)
    throw new HoldfastError(
      "HF1110",
      origin === undefined ? "nothing was decided yet" : `nothing was decided on ${origin}`,
    );
  if (decision.nodeId !== undefined && decision.undo === undefined)
    throw new HoldfastError("HF1110", `the decision on ${name} is too old to be taken back`, {
      hint: "git restore brings the node back",
    });
  const { undo: step } = decision;
  const index =
    step && undone(base, { file: join(places.dir, step.file), before: step.before ?? undefined, after: step.after });
  writeDecisions(places, new Map([...decisions].filter(([other]) => other !== name)), base.lock);
  const file = step && relative(places.root, join(places.dir, step.file));
  return deedOf(name, decision, file, index);
}

type Written = Pick<Change, "id" | "file" | "before" | "after"> & { readonly index: Change["index"] | undefined };

async function decided(
  curator: Curator,
  { origin }: Proposal,
  decision: Decision["decision"],
  write?: (base: HeldBase) => Written,
): Promise<Deed> {
  const { places } = curator;
  const deed = await held(curator, (base) => {
    const decisions = readDecisions(places);
    const earlier = decisions.get(origin);
    if (earlier !== undefined && earlier.decision !== "later")
      throw new HoldfastError("HF1110", `${origin} was ${earlier.decision} meanwhile`);
    const at = curator.now().toISOString();
    const takenWith = ({ id, file, before, after }: Omit<Written, "index">): Decision => ({
      decision,
      at,
      nodeId: id,
      undo: { file: relative(places.dir, file), before: before ?? null, after },
    });
    const onBegin: HeldBase["onBegin"] = (begun) =>
      writeDecisions(places, decisions, base.lock, { origin, ...takenWith(begun) });
    const change = write?.({ ...base, onBegin });
    const taken: Decision = change ? takenWith(change) : { decision, at };
    writeDecisions(places, withDecision(decisions, origin, taken), base.lock);
    return deedOf(origin, taken, change && relative(places.root, change.file), change?.index);
  });
  try {
    await settleSessions(curator);
    return deed;
  } catch (error) {
    // It is decided: to call that a failure would have it decided twice.
    return { ...deed, unsettled: (error as Error).message };
  }
}

const deedOf = (
  origin: string,
  decision: Decision,
  file: string | undefined,
  index: Change["index"] | undefined,
): Deed => ({
  origin,
  decision: decision.decision,
  ...(decision.nodeId === undefined ? {} : { nodeId: decision.nodeId }),
  ...(file === undefined ? {} : { file }),
  ...(index && "problem" in index ? { indexProblem: index.problem } : {}),
});

/**
 * A process that died after it wrote the node and before it said so, or the same text proposed again: the node is there
 * and is not written twice. What another decision wrote stays when this one is taken back.
 */
function written(wanted: NewNode, nodes: readonly PlacedNode[], decisions: Decisions): Written | undefined {
  const found = nodes.find(
    ({ type, title, body, derivedFrom }) =>
      type === wanted.type &&
      title === oneLine(wanted.title) &&
      body === proseOf(wanted.body) &&
      isDeepStrictEqual(derivedFrom, [...new Set(wanted.derivedFrom)]),
  );
  if (!found) return undefined;
  const after = readFileSync(found.file, "utf8");
  const isOfAnother = [...decisions.values()].some(({ nodeId }) => nodeId === found.id);
  return { id: found.id, file: found.file, before: isOfAnother ? after : undefined, after, index: undefined };
}

/** An old id is followed to what became of it; one that nobody knows stays, and is refused on writing. */
function liveIds({ places, tree }: HeldBase): (id: string) => string[] {
  const ids = new Set(tree().nodes.map(({ id }) => id));
  const redirects = readRedirects(places.redirectsFile);
  return (id) => {
    const found = resolveId(id, (other) => ids.has(other), redirects);
    return found.length === 0 ? [id] : found;
  };
}

function liveId(base: HeldBase, id: string): string {
  const [first, second] = liveIds(base)(id);
  if (second !== undefined) throw new HoldfastError("HF1110", `${id} became several nodes; name one of them`);
  const target = first ?? id;
  if (!base.tree().nodes.some((node) => node.id === target))
    throw new HoldfastError("HF1106", `there is no node ${id}`);
  return target;
}
