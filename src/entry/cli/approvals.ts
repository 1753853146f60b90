/** `holdfast approvals`: what agents ask people, and what a person at a terminal says to it. */
import { confirm, isCancel, select, text } from "@clack/prompts";
import { type Approval, PERSONAL, type VoteKind } from "../../approvals/approval.ts";
import { rightToDecide } from "../../approvals/rights.ts";
import { Approvals, type Outcome } from "../../approvals/service.ts";
import { HoldfastError } from "../../core/errors.ts";
import { nearest } from "../../core/nearest.ts";
import { approvalLines, approvalRows } from "./approvals-lines.ts";
import { type OpenedApprovals, openApprovals, personHere } from "./approvals-store.ts";
import { type CommandCall, type ExitCode, textFlag } from "./command.ts";
import { table } from "./output.ts";
import { assertPerson, surroundings } from "./person.ts";

type Verb = (id: string, opened: OpenedApprovals, call: CommandCall) => Promise<ExitCode>;

const VERBS: Readonly<Record<string, { readonly takesId: boolean; readonly run: Verb }>> = {
  list: { takesId: false, run: (_, opened, call) => list(opened, call) },
  show: { takesId: true, run: show },
  approve: { takesId: true, run: (id, opened, call) => decide("approve", id, opened, call) },
  deny: { takesId: true, run: (id, opened, call) => decide("deny", id, opened, call) },
  review: { takesId: false, run: (_, opened, call) => review(opened, call) },
};

export async function run(call: CommandCall): Promise<ExitCode> {
  const [verb = "list", id, ...rest] = call.words;
  const found = VERBS[verb];
  if (!found) {
    const meant = nearest(verb, Object.keys(VERBS));
    const hint = `${meant ? `did you mean ${meant}?   ` : ""}verbs: ${Object.keys(VERBS).join(", ")}`;
    throw new HoldfastError("HF701", `holdfast approvals has no "${verb}"`, { hint });
  }
  if (found.takesId !== (id !== undefined) || rest.length > 0)
    throw new HoldfastError("HF701", `holdfast approvals ${verb} takes ${found.takesId ? "one id" : "no id"}`);
  const opened = await openApprovals(call);
  try {
    return await found.run(id ?? "", opened, call);
  } finally {
    await opened.stores.close();
  }
}

async function list({ stores }: OpenedApprovals, call: CommandCall): Promise<ExitCode> {
  const { output, flags } = call;
  const limit = Number(textFlag(call, "last") ?? 50);
  if (!Number.isInteger(limit) || limit < 1) throw new HoldfastError("HF701", "--last takes a number from 1 up");
  const session = textFlag(call, "session");
  await new Approvals(stores).sweep();
  const { approvals } = await stores.list({
    organisation: PERSONAL,
    limit,
    ...(flags.all ? {} : { statuses: ["pending"] }),
    ...(session === undefined ? {} : { session }),
  });
  if (output.json) output.data(approvals);
  else if (approvals.length === 0) output.line(flags.all ? "no approvals yet" : "nothing waits for an approval");
  else for (const line of table(approvalRows(approvals, output, stores.now()))) output.line(line);
  return 0;
}

async function show(id: string, { stores }: OpenedApprovals, { output }: CommandCall): Promise<ExitCode> {
  const approval = await found(id, stores);
  const history = await stores.history(id);
  if (output.json) output.data({ ...approval, history });
  else for (const line of approvalLines(approval, history, output, stores.now())) output.line(line);
  return 0;
}

async function found(id: string, stores: OpenedApprovals["stores"]): Promise<Approval> {
  const approval = await new Approvals(stores).current(id);
  if (approval?.organisation === PERSONAL) return approval;
  throw new HoldfastError("HF902", `there is no approval ${id}`);
}

async function decide(kind: VoteKind, id: string, opened: OpenedApprovals, call: CommandCall): Promise<ExitCode> {
  const { stores } = opened;
  const { output, flags, env } = call;
  const approval = await found(id, stores);
  if (!output.json) for (const line of approvalLines(approval, [], output, stores.now())) output.line(line);
  if (flags["dry-run"]) {
    if (output.json) output.data(approval);
    return 0;
  }
  assertPerson(surroundings(env), `approvals ${kind} ${id}`);
  const person = await personHere(opened);
  const right = rightToDecide(approval, person);
  if (approval.status === "pending" && !right.may) throw new HoldfastError("HF903", right.why);
  if (kind === "approve" && approval.status === "pending") {
    const agreed = await confirm({ message: "Let exactly this call run, once?", initialValue: false });
    if (isCancel(agreed)) return 130;
    if (!agreed) return 1;
  }
  const reason = textFlag(call, "reason") ?? "";
  return told(await new Approvals(stores).vote(id, { person, isMember: true, kind, reason, via: "terminal" }), call);
}

/** One after another, as a person works through an inbox. */
async function review(opened: OpenedApprovals, call: CommandCall): Promise<ExitCode> {
  const { output, env } = call;
  assertPerson(surroundings(env), "approvals review");
  const person = await personHere(opened);
  const { stores } = opened;
  const service = new Approvals(stores);
  await service.sweep();
  const { approvals } = await stores.list({ organisation: PERSONAL, statuses: ["pending"], limit: 200 });
  if (approvals.length === 0) output.line("nothing waits for an approval");
  for (const approval of [...approvals].reverse()) {
    for (const line of approvalLines(approval, [], output, stores.now())) output.line(line);
    const right = rightToDecide(approval, person);
    if (!right.may) {
      output.line(`not yours to decide: ${right.why}`);
      continue;
    }
    const answer = await select({
      message: `${approval.id}: let exactly this call run, once?`,
      options: [
        { value: "skip" as const, label: "decide later" },
        { value: "approve" as const, label: "approve" },
        { value: "deny" as const, label: "deny" },
      ],
    });
    if (isCancel(answer)) return 130;
    if (answer === "skip") continue;
    const reason = await text({ message: "Why? (the agent is told)", defaultValue: "" });
    if (isCancel(reason)) return 130;
    told(await service.vote(approval.id, { person, isMember: true, kind: answer, reason, via: "terminal" }), call);
  }
  return 0;
}

/** What became of the vote; a vote that counted for nothing says so. */
function told(outcome: Outcome, { output }: CommandCall): ExitCode {
  if (outcome.kind === "refused") throw new HoldfastError("HF903", outcome.why);
  const { approval } = outcome;
  const { status, votes, policy } = approval;
  const yes = votes.filter(({ kind }) => kind === "approve").length;
  if (output.json) output.data(approval);
  else if (status === "approved")
    output.line(`${output.paint("green", "approved")}  the waiting call goes on; if none waits, the agent repeats it`);
  else if (status === "denied")
    output.line(`${output.paint("red", "denied")}  the agent is told, and may not try again`);
  else output.line(`${output.paint("yellow", "noted")}  ${yes} of ${policy.approvers.count} yes; it waits for others`);
  return 0;
}
