/** `onError: ask`: a hook failed, and a person says whether the phase goes on without its word. */
import type { Run } from "../run.ts";
import type { PhaseEnd, PhaseRequest } from "./phase.ts";

type Failed = Extract<PhaseEnd, { kind: "error" }>;

export async function askAboutFailure(
  failed: Failed,
  { id, settings, sessions }: Run,
  { machine, moment, signal }: PhaseRequest,
): Promise<{ readonly end: PhaseEnd; readonly word: string }> {
  const task = moment.phase === "taskTransition" ? moment.transition.taskId : null;
  const question = {
    ...{ run: id, cwd: settings.cwd, session: sessions.length, task, approvers: [] },
    title: `run ${id} goes on although its hook ${failed.hook} failed`,
    body: failed.message,
  };
  try {
    const answer = await machine.approve(question, signal);
    if (answer.kind === "approved") return { end: { kind: "continue" }, word: `${answer.by} said to go on` };
    const why =
      answer.kind === "denied"
        ? `${answer.by} said not to go on${answer.reason === "" ? "" : `: ${answer.reason}`}`
        : `a person has to say whether to go on: approval ${answer.id} is open (${answer.where})`;
    const reason = `hook ${failed.hook} failed: ${failed.message}; ${why}`;
    return { end: { kind: "block", hook: failed.hook, reason }, word: why };
  } catch (error) {
    const why = `nobody could be asked: ${(error as Error).message}`;
    return { end: { ...failed, message: `${failed.message}; ${why}` }, word: why };
  }
}
