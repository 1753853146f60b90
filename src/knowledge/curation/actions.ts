/** What a skill's model would do with proposals, checked, freed of doubles and carried out one by one. */
import { HoldfastError } from "../../core/errors.ts";
import { CONFIDENCES } from "../base/node.ts";
import { nodeId, slugOf } from "../base/node-id.ts";
import { newRunId } from "./conflicts.ts";
import { type Action, CONTRACTS, type ProposedNode, problemText } from "./contracts.ts";
import { accept, type Curator, type Deed, merge, reject, setAgainst } from "./curate.ts";
import { type Proposal, proposalNamed, readQueue } from "./queue.ts";

/** Throws HF1108 that names every place that does not fit. */
export function readActions(value: unknown): readonly Action[] {
  const problems = CONTRACTS["knowledge-actions"]?.check(value) ?? [];
  if (problems.length > 0) throw new HoldfastError("HF1108", problems.map(problemText).join("\n  "));
  return value as readonly Action[];
}

export interface Deduplicated {
  readonly kept: readonly Action[];
  /** Each with the one that was kept instead. */
  readonly doubles: readonly { readonly action: Action; readonly keptOrigin: string }[];
}

/** Of several that would write the same node, the surest stays, and of equally sure ones the first. */
export function withoutDoubles(actions: readonly Action[]): Deduplicated {
  const best = new Map<string, Action>();
  for (const action of actions) {
    const key = targetOf(action);
    if (key === undefined) continue;
    const other = best.get(key);
    if (!other || sureness(action) > sureness(other)) best.set(key, action);
  }
  const isKept = (action: Action) => {
    const key = targetOf(action);
    return key === undefined || best.get(key) === action;
  };
  return {
    kept: actions.filter(isKept),
    doubles: actions
      .filter((action) => !isKept(action))
      .map((action) => ({ action, keptOrigin: best.get(targetOf(action) as string)?.candidate_origin ?? "" })),
  };
}

/** Undefined: it writes no node. */
function targetOf({ action, target_node_id: target, proposed_node: node }: Action): string | undefined {
  if (action === "modify") return target ?? undefined;
  if (action === "add" && node) return nodeId(node.type, slugOf(node.title));
  return undefined;
}

const sureness = ({ proposed_node: node }: Action) => CONFIDENCES.indexOf(node?.confidence ?? "low");

export interface ActionResult {
  readonly origin: string;
  readonly action: Action["action"] | "double";
  readonly outcome: "written" | "conflict" | "dropped" | "failed";
  readonly nodeId?: string;
  readonly file?: string;
  readonly message?: string;
}

export interface Performed {
  readonly runId: string;
  readonly written: number;
  readonly conflicts: number;
  readonly dropped: number;
  readonly failed: number;
  readonly results: readonly ActionResult[];
}

/** One that fails is told and stops no other. */
export async function performActions(curator: Curator, actions: readonly Action[]): Promise<Performed> {
  const runId = newRunId(curator.now());
  const { kept, doubles } = withoutDoubles(actions);
  const results: ActionResult[] = [];
  for (const action of kept) results.push(await performed(curator, action, runId));
  for (const { action, keptOrigin } of doubles) {
    const isKept = results.some(({ origin, outcome }) => origin === keptOrigin && outcome !== "failed");
    if (!isKept) {
      results.push(await performed(curator, action, runId));
      continue;
    }
    const message = `the same as ${keptOrigin}, which is at least as sure`;
    results.push({ ...(await dropped(curator, action)), action: "double", message });
  }
  const count = (outcome: ActionResult["outcome"]) => results.filter((result) => result.outcome === outcome).length;
  return {
    runId,
    written: count("written"),
    conflicts: count("conflict"),
    dropped: count("dropped"),
    failed: count("failed"),
    results,
  };
}

async function performed(curator: Curator, action: Action, runId: string): Promise<ActionResult> {
  try {
    const proposal = proposalNamed(await readQueue(curator.places), action.candidate_origin);
    const deed = await deedFor(curator, action, proposal, runId);
    return resultOf(action, deed);
  } catch (error) {
    const { message } = error as Error;
    return { origin: action.candidate_origin, action: action.action, outcome: "failed", message };
  }
}

const dropped = (curator: Curator, action: Action) => performed(curator, { ...action, action: "drop" }, "");

function deedFor(curator: Curator, action: Action, proposal: Proposal, runId: string): Promise<Deed> {
  switch (action.action) {
    case "add":
      return accept(curator, proposal, needed(action), action.home_folder ?? "");
    case "modify":
      return merge(curator, proposal, target(action), needed(action));
    case "contradict":
      return setAgainst(
        curator,
        { ...proposal, candidate: candidateOf(action, proposal) },
        target(action),
        action.rationale,
        runId,
      );
    case "drop":
      return reject(curator, proposal);
  }
}

function needed({ action, proposed_node: node }: Action): ProposedNode {
  if (node) return node;
  throw new HoldfastError("HF1110", `${action} needs a proposed_node`);
}

function target({ action, target_node_id: id }: Action): string {
  if (id) return id;
  throw new HoldfastError("HF1110", `${action} needs a target_node_id`);
}

function candidateOf({ proposed_node: node }: Action, { candidate }: Proposal): Proposal["candidate"] {
  if (!node) return candidate;
  const { relates_to: _, depends_on: __, ...rest } = node;
  return rest;
}

function resultOf(action: Action, { origin, nodeId: id, file, decision, indexProblem }: Deed): ActionResult {
  const outcome = decision === "conflict" ? "conflict" : decision === "rejected" ? "dropped" : "written";
  return {
    origin,
    action: action.action,
    outcome,
    ...(id === undefined || outcome === "dropped" ? {} : { nodeId: id }),
    ...(file === undefined ? {} : { file }),
    ...(indexProblem === undefined ? {} : { message: indexProblem }),
  };
}
