/** `require-approval`: a person agrees before the run goes on, or before a task counts as completed. */
import { z } from "zod";
import { completes, goesOn, type RunBuiltin, refuses } from "./builtin.ts";

const config = z
  .strictObject({
    title: z.string().min(1).optional().describe("what the person is asked; default: made from the run and the task"),
    message: z.string().optional().describe("what else they should know"),
    approvers: z
      .array(z.string().min(1))
      .optional()
      .describe("who may agree; default: whoever may approve in this project"),
  })
  .nullable();

export const requireApproval: RunBuiltin = {
  name: "require-approval",
  doc: "asks a person: before an attempt, or before a task is completed",
  phases: ["prepare", "beforeAttempt", "afterAttempt", "taskTransition"],
  config,
  timeoutSec: 3600,
  async judge({ event, phase, config: given, signal }, machine) {
    if (event.name === "task_transition" && !completes(event)) return goesOn(phase);
    const task = event.name === "task_transition" ? event.taskId : null;
    const { title, message = "", approvers = [] } = (given as z.infer<typeof config>) ?? {};
    const subject =
      task === null ? `run ${event.run.id} may go on (${phase})` : `task ${task} of run ${event.run.id} is completed`;
    const { id: run, cwd, sessions: session } = event.run;
    const question = { run, cwd, session, task, title: title ?? subject, body: message, approvers };
    const answer = await machine.approve(question, signal);
    switch (answer.kind) {
      case "approved":
        return goesOn(phase);
      case "denied":
        return refuses(`${answer.by} did not agree: ${answer.reason}`);
      case "pending":
        return refuses(
          `a person has to agree first: approval ${answer.id} is open (${answer.where}); try again once it is decided`,
        );
    }
  },
};
