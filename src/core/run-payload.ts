/** What the events of a run carry: the run, its tasks and what hooks keep, the same in every phase. */
import { anyJson, count, flag, list, map, nullable, object, oneOf, text } from "./fields.ts";
import { TASK_STATUSES } from "./run-mutation.ts";

const TASK_STATUS = oneOf(TASK_STATUSES, "where the task stands");

const TASK = object({
  id: text("its id"),
  title: text("its title"),
  body: text("what is to be done"),
  status: TASK_STATUS,
  notes: text("what was noted while it was worked on"),
});

const RUN = object({
  id: text("six characters"),
  repo: text("the repository it belongs to"),
  status: text("initialized, ready, running, success, blocked, exhausted, aborted or error"),
  backend: text("what does the work"),
  model: nullable(text("the model asked for")),
  effort: nullable(text("how hard it is to think")),
  cwd: text("where the work is done"),
  directory: text("where the run's own files are"),
  name: nullable(text("how people call it")),
  note: nullable(text("a person's or a hook's note; never in a prompt")),
  isPinned: flag("kept at the top of lists"),
  backendSession: nullable(text("the backend's session it goes on in")),
  attempts: count("attempts so far, through all sessions"),
  maxAttemptsPerSession: count("how many a session may have"),
  sessions: count("sessions so far, the one that runs among them"),
  lockedFields: list(text(), "what may not be changed"),
});

export const PHASE_PAYLOAD = {
  assignment: nullable(
    object(
      { name: text("its name"), file: nullable(text("its file, where it has one")) },
      "what the run was made from; null: made without one",
    ),
  ),
  run: { ...RUN, doc: "the run, as changed by earlier hooks of the phase" },
  vars: map(anyJson(), "the run's variables"),
  state: map(anyJson(), "what hooks keep between phases"),
  attachments: list(
    object({
      id: text("its id"),
      name: text("its file name"),
      mimeType: text("its type"),
      bytes: count("its size"),
      sha256: text("of its content"),
      addedAt: text("when, RFC 3339 UTC"),
    }),
    "files that go with the run",
  ),
  tasks: list(TASK, "the tasks, in their order"),
  config: anyJson("the `with:` of the hook that is asked, where it is a hook of the assignment"),
};

export const ATTEMPT_PAYLOAD = {
  ...PHASE_PAYLOAD,
  prompt: text("what the backend is told, or was told"),
  retriesRemaining: count("attempts left in this session after this one"),
  sessionIndex: count("execution session, from 0"),
  attemptIndex: count("attempt within the session, from 0"),
};

export const PREPARE_PAYLOAD = {
  ...PHASE_PAYLOAD,
  defaultPrompt: text("the first prompt as the assignment makes it"),
  prompt: text("the first prompt as changed so far"),
};

export const ATTEMPT_OUTCOME = object(
  {
    exitCode: nullable(count("the backend's exit code; null: it ended by a signal")),
    signal: nullable(text("the signal it ended by")),
    isTimedOut: flag("it took too long"),
    isAborted: flag("it was called off"),
    session: nullable(text("the backend's session")),
    transcript: text("what the agent said last"),
    stdout: text("the backend's output"),
    stderr: text("the backend's errors"),
  },
  "what the attempt did",
);

export const TRANSITION_PAYLOAD = {
  ...PHASE_PAYLOAD,
  taskId: text("the task"),
  source: oneOf(["task-set", "task-append-notes", "task-add", "task-delete", "run-loop"], "how the edit came about"),
  from: nullable(TASK),
  to: nullable(TASK),
  fromStatus: nullable(text("status before; null: the task is new")),
  toStatus: nullable(text("status asked for; null: the task is to be deleted")),
  changedFields: list(oneOf(["status", "notes", "title", "body"]), "what the edit changes"),
  edit: nullable(text("for HOLDFAST_TASK_EDIT of programs it starts: what they edit is then part of this edit")),
};
