/** Session logs say whether anything in them still waits: that is what queues are counted by. */
import { changeSessionLog } from "../capture/log-writer.ts";
import { countsOf, openProposals, type SessionFront, type SessionLog } from "../capture/session-log.ts";
import type { Curator } from "./curate.ts";
import { type Decisions, readDecisions } from "./decisions.ts";
import { readLogs } from "./queue.ts";

/** Stamps every log whose proposals are all decided, also those that have none. Returns their session ids. */
export async function settleSessions(curator: Curator): Promise<string[]> {
  const { places } = curator;
  const decisions = readDecisions(places);
  const { logs } = await readLogs(places);
  const settled: string[] = [];
  for (const { file } of logs.filter((log) => isSettled(log.front, decisions))) {
    const front = await changeSessionLog(file, places, curator.takeLock, (now) =>
      // A drain may have added proposals since it was looked at, and somebody taken a decision back.
      isSettled(now, readDecisions(places))
        ? { ...now, curated: countsOf(now.proposals), curator_processed_at: curator.now().toISOString() }
        : now,
    );
    if (front.curator_processed_at !== undefined) settled.push(front.session_id);
  }
  return settled;
}

const isSettled = (front: SessionFront, decisions: Decisions): boolean =>
  front.proposal_status === "done" &&
  front.curator_processed_at === undefined &&
  openProposals(front).every(({ kind, index }) => {
    const decision = decisions.get(`${front.session_id}:${kind}:${index}`)?.decision;
    return decision !== undefined && decision !== "later";
  });

/** The proposal of this name is open again; the others of its session stay decided. */
export async function reopenSession({ places, takeLock }: Curator, origin: string): Promise<void> {
  const [sessionId, kind, number] = splitOrigin(origin);
  const { logs } = await readLogs(places);
  const log: SessionLog | undefined = logs.find(({ front }) => front.session_id === sessionId);
  if (!log || (kind !== "practice" && kind !== "map")) return;
  await changeSessionLog(log.file, places, takeLock, (now) => {
    const { curator_processed_at: _, ...rest } = now;
    return { ...rest, curated: { ...now.curated, [kind]: Math.min(now.curated[kind], number) } } as SessionFront;
  });
}

/** Session ids may hold colons themselves. */
function splitOrigin(origin: string): [session: string, kind: string, number: number] {
  const parts = origin.split(":");
  return [parts.slice(0, -2).join(":"), parts.at(-2) ?? "", Number(parts.at(-1))];
}
