/** A node that somebody proposes: it waits for review with all that was said of it, unless it was decided on before. */
import { HoldfastError } from "../../core/errors.ts";
import { assertProposable, held, type NewNode } from "../base/change-nodes.ts";
import type { Curator } from "./curate.ts";
import { type Decision, readDecisions } from "./decisions.ts";
import { addBatch } from "./proposal-files.ts";

export interface Proposed {
  readonly origin: string;
  /** False: the very same waits already. */
  readonly isNew: boolean;
}

/** Refuses what could not be accepted as it is, and what was decided before. */
export async function proposeNode(curator: Curator, node: NewNode, folder?: string): Promise<Proposed> {
  return held(curator, (base) => {
    assertProposable(node, folder ?? "", base.tree().nodes);
    const { relatesTo = [], dependsOn = [], derivedFrom = [], ...rest } = node;
    const [from = "a person", ...alsoFrom] = derivedFrom;
    const candidate = {
      ...rest,
      ...(relatesTo.length > 0 ? { relates_to: relatesTo } : {}),
      ...(dependsOn.length > 0 ? { depends_on: dependsOn } : {}),
    };
    const madeAt = curator.now().toISOString();
    const { id, isNew } = addBatch(base, "person", { from, alsoFrom, madeAt, folder, candidates: [candidate] });
    const origin = `${id}:${node.type}:0`;
    const decided = readDecisions(curator.places).get(origin);
    if (decided && decided.decision !== "later") throw alreadyDecided(origin, decided);
    return { origin, isNew };
  });
}

const alreadyDecided = (origin: string, { decision, at }: Decision) =>
  new HoldfastError(
    "HF1110",
    `the same was proposed before, and was ${decision} on ${at.slice(0, 10)}; it waits no more`,
    {
      hint: `holdfast knowledge curate --undo ${origin} opens it again; say something else to propose something else`,
    },
  );
