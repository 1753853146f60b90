/** What whoever goes on with a run says to it, where the process that drove it died in the middle of a session. */
import type { RunPorts } from "./ports.ts";
import type { Run } from "./run.ts";
import type { ResumeRequest } from "./start.ts";
import type { Lease, NewRunEvent } from "./store.ts";
import { readRun, updateRun } from "./update.ts";

/**
 * In a session of its own, whatever is asked for: that there is one more says to whoever goes on next that it has begun.
 */
export async function changeTakenOver(
  ports: RunPorts,
  id: string,
  lease: Lease,
  { message, addTasks: _added, request, ...overrides }: ResumeRequest & { readonly request?: string },
): Promise<void> {
  const hasResult = await hasEnded(ports, await readRun(ports, id));
  await updateRun(ports, id, (run) => {
    const at = ports.now().toISOString();
    const changed = inNextSession({ ...run, settings: { ...run.settings, ...overrides } }, at, request);
    const started = startedEvent(run.sessions.length, message ?? null);
    const made = (next: Run, ...events: NewRunEvent[]) => ({
      next,
      change: { events: [...events, started], lease: lease.token },
    });
    if (message === undefined) return made(changed);
    if (hasResult || hasPrompt(run))
      return made(told(changed, message, at), { type: "run.message_added", source: "cli", data: { text: message } });
    return made(interrupted(changed, message, at), { type: "session.interrupted", source: "cli", data: { message } });
  });
}

/** The backend was through: what came of the attempt is for the hooks after it, whatever is said to the next. */
async function hasEnded({ store }: RunPorts, { id, attempts, progress }: Run): Promise<boolean> {
  const last = attempts.at(-1);
  if (progress?.step !== "attempt" || !last) return false;
  const known = await store.readAttempt(id, last.number);
  return known?.prompt === progress.prompt && known.result !== null;
}

/** What the next attempt is to be told is a hook's or a person's word: it is told besides. */
const hasPrompt = ({ progress }: Run): boolean => progress?.step === "before-attempt" && progress.prompt !== null;

function inNextSession(run: Run, at: string, request: string | undefined): Run {
  const ended = run.sessions.map((session) => ({ ...session, endedAt: session.endedAt ?? at }));
  const begun = { index: ended.length, startedAt: at, endedAt: null, ...(request === undefined ? {} : { request }) };
  return { ...run, sessions: [...ended, begun] };
}

/** Nothing is asked for but to go on: that it was, says the session that goes on. */
export const noteRequest = (ports: RunPorts, id: string, lease: Lease, request: string): Promise<Run> =>
  updateRun(ports, id, (run) => {
    const last = run.sessions.at(-1);
    if (!last || last.request === request) return undefined;
    const sessions = [...run.sessions.slice(0, -1), { ...last, request }];
    return { next: { ...run, sessions }, change: { lease: lease.token } };
  });

const told = (run: Run, text: string, at: string): Run => ({
  ...run,
  messages: [...(run.messages ?? []), { text, at }],
});

/** The attempt that was under way is over, the next one gets the message. */
const interrupted = (run: Run, message: string, at: string): Run => ({
  ...run,
  attempts: run.attempts.map((attempt) =>
    attempt.endedAt === null ? { ...attempt, endedAt: at, isAborted: true } : attempt,
  ),
  progress: { step: "before-attempt", prompt: message },
});

export const startedEvent = (session: number, message: string | null): NewRunEvent => ({
  type: "session.started",
  source: "cli",
  data: { session, message },
});
