/**
 * What `require-approval` of a run asks, put to the people who approve tool calls, at the same desk. Asking the same again
 * finds the answer. A no stands for the session of the run: whoever resumes it asks anew.
 */
import { randomUUID } from "node:crypto";
import { type Approval, PERSONAL } from "../../approvals/approval.ts";
import type { Desk, DeskRequest } from "../../approvals/desk.ts";
import { sha256 } from "../../config/places.ts";
import { canonicalJson } from "../../core/json.ts";
import { redactJson } from "../../core/redact.ts";
import { osUser } from "../../engine/approval-gate.ts";
import { putQuestion } from "../../engine/put-question.ts";
import type { ApprovalAnswer, ApprovalQuestion } from "../../runs/hooks/engine.ts";

export interface Asking {
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** How long to wait before the run is told that the answer is still open. */
  readonly waitMs?: number;
}

const WAIT_MS = 60_000;
const EXPIRES_MS = 24 * 60 * 60 * 1000;

export async function askPeople(question: ApprovalQuestion, desk: Desk, asking: Asking): Promise<ApprovalAnswer> {
  const request = requestOf(question, asking.cwd);
  const known = (await desk.denials(PERSONAL, question.run)).find(({ digest }) => digest === request.digest);
  const asked = known ?? (await putQuestion(desk, request));
  const { status, votes } = known ?? (await settled(asked, desk, asking));
  const { id } = asked;
  const last = votes.at(-1);
  if (status === "denied") return { kind: "denied", by: last?.by ?? "a person", reason: last?.reason ?? "" };
  if (status === "approved") {
    // What was asked, not what was heard: a yes to anything else answers nothing here.
    const used = await desk.use(id, { digest: request.digest, eventId: request.call.eventId });
    if (used.kind === "done") return { kind: "approved", by: used.approval.votes.map(({ by }) => by).join(", ") };
  }
  return { kind: "pending", id, where: "holdfast approvals, or the inbox of holdfast serve" };
}

async function settled(approval: Approval, desk: Desk, { signal, waitMs = WAIT_MS }: Asking): Promise<Approval> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
  return (await desk.until(approval.id, ({ status }) => status !== "pending", limit)) ?? approval;
}

function requestOf({ run, session, task, title, body, approvers }: ApprovalQuestion, cwd: string): DeskRequest {
  const digest = sha256(canonicalJson(["run", run, session, task, title, body, [...approvers].sort()]));
  return {
    organisation: PERSONAL,
    digest,
    call: {
      // Another each time: a yes that was used is over, and who asks again asks people again.
      eventId: randomUUID(),
      host: "run",
      session: run,
      turn: String(session),
      agent: null,
      initiator: osUser(),
      cwd,
      tool: "require-approval",
      kind: "other",
      input: redactJson({ run, task, title, body }),
      effects: [task === null ? `lets run ${run} go on` : `lets task ${task} of run ${run} count as completed`],
    },
    rule: "runs/require-approval",
    reason: title,
    policy: {
      approvers: { people: approvers, roles: [], count: 1, notInitiator: false },
      expiresAfterMs: EXPIRES_MS,
      remindEveryMs: null,
      escalation: null,
    },
    channel: null,
    mode: "auto",
  };
}
