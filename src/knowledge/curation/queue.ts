/** What waits for a person: every proposal nobody has decided on, wherever it came from. */
import { HoldfastError } from "../../core/errors.ts";
import { checkFields, type Fields } from "../../core/fields.ts";
import type { Json } from "../../core/json.ts";
import { openProposals, readSessionLog, type SessionLog, sessionLogFiles } from "../capture/session-log.ts";
import type { KnowledgePlaces } from "../places.ts";
import { CANDIDATE_FIELDS, PROPOSED_NODE_FIELDS, type ProposedNode, problemText } from "./contracts.ts";
import { type Decisions, readDecisions } from "./decisions.ts";
import { isOfDocument, originIn, readBatches, supersededIn } from "./proposal-files.ts";

export interface Proposal {
  /** `<session or batch>:<practice|map>:<number>`: names it for good. */
  readonly origin: string;
  readonly candidate: ProposedNode;
  readonly source: ProposalSource;
  /** A person has put it off. */
  readonly isLater: boolean;
}

export interface ProposalSource {
  readonly kind: "session" | "docs" | "person";
  /** What a node accepted from it is derived from. */
  readonly reference: string;
  readonly alsoFrom: readonly string[];
  readonly at: string;
  readonly host: string | undefined;
  readonly folder: string | undefined;
}

export interface QueueProblem {
  readonly where: string;
  readonly message: string;
}

export interface Queue {
  /** Put-off ones last, otherwise oldest first. */
  readonly proposals: readonly Proposal[];
  readonly problems: readonly QueueProblem[];
  /** Sessions whose proposals still have to be made. */
  readonly pendingSessions: number;
  readonly failedSessions: number;
}

export async function readQueue(places: KnowledgePlaces): Promise<Queue> {
  const decisions = readDecisions(places);
  const { logs, problems: unread } = await readLogs(places);
  const { batches, problems: damaged } = readBatches(places);
  const superseded = supersededIn(batches);
  const found: (Proposal | QueueProblem)[] = [
    ...logs.flatMap((log) => proposalsOfLog(log, decisions)),
    ...batches.flatMap((batch) =>
      batch.proposals.flatMap((value, index) => {
        const origin = originIn(batch, value, index);
        if (superseded.has(origin)) return [];
        const source: ProposalSource = {
          kind: isOfDocument(batch) ? "docs" : "person",
          reference: batch.from,
          alsoFrom: batch.alsoFrom,
          at: batch.madeAt,
          host: undefined,
          folder: batch.folder,
        };
        return open(origin, value, source, decisions, PROPOSED_NODE_FIELDS);
      }),
    ),
  ];
  const proposals = found.filter((item): item is Proposal => "origin" in item);
  const count = (status: string) => logs.filter(({ front }) => front.proposal_status === status).length;
  return {
    proposals: [...proposals.filter(({ isLater }) => !isLater), ...proposals.filter(({ isLater }) => isLater)],
    problems: [
      ...unread,
      ...damaged.map(({ file, message }) => ({ where: file, message })),
      ...found.filter((item): item is QueueProblem => "message" in item),
    ],
    pendingSessions: count("pending"),
    failedSessions: count("failed"),
  };
}

export async function readLogs(places: KnowledgePlaces) {
  const logs: SessionLog[] = [];
  const problems: QueueProblem[] = [];
  for (const file of sessionLogFiles(places)) {
    try {
      const read = await readSessionLog(file);
      if ("log" in read) logs.push(read.log);
      else problems.push({ where: file, message: read.problem });
    } catch (error) {
      problems.push({ where: file, message: `cannot be read: ${(error as Error).message}` });
    }
  }
  return { logs, problems };
}

function proposalsOfLog({ front }: SessionLog, decisions: Decisions): (Proposal | QueueProblem)[] {
  const source: ProposalSource = {
    kind: "session",
    reference: `session:${front.session_id}`,
    alsoFrom: [],
    at: front.captured_at,
    host: front.host === "" ? undefined : front.host,
    folder: undefined,
  };
  return openProposals(front).flatMap(({ kind, index, proposal }) =>
    open(`${front.session_id}:${kind}:${index}`, proposal, source, decisions, CANDIDATE_FIELDS),
  );
}

function open(
  origin: string,
  value: Json,
  source: ProposalSource,
  decisions: Decisions,
  fields: Fields,
): (Proposal | QueueProblem)[] {
  const decided = decisions.get(origin)?.decision;
  if (decided !== undefined && decided !== "later") return [];
  const [problem] = checkFields(value, fields);
  if (problem) return [{ where: origin, message: problemText(problem) }];
  return [{ origin, candidate: value as unknown as ProposedNode, source, isLater: decided === "later" }];
}

const IS_WHOLE = /:(?:practice|map):\d+$/;

/** By its whole origin, or by the beginning of it where that is enough. A whole one never means another that begins with it. */
export function proposalNamed({ proposals }: Pick<Queue, "proposals">, name: string): Proposal {
  const exact = proposals.find(({ origin }) => origin === name);
  if (exact) return exact;
  const near = name === "" || IS_WHOLE.test(name) ? [] : proposals.filter(({ origin }) => origin.startsWith(name));
  const [only, second] = near;
  if (only && !second) return only;
  throw new HoldfastError(
    "HF1107",
    second ? `${name} begins the names of ${near.length} proposals` : `no proposal ${name} waits`,
  );
}
