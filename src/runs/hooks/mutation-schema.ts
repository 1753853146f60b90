/** What hooks of a run answer, checked whole before any of it is applied. */
import { z } from "zod";
import { HookFailure } from "../../core/failure.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Verdict } from "../../core/verdict.ts";
import type { Mutation } from "../mutation.ts";
import { plainProblem } from "../plain-problem.ts";
import { EFFORTS, LOCKABLE_FIELDS } from "../run.ts";
import { TASK_STATUSES } from "../task.ts";

const file = { name: z.string().min(1).optional(), mimeType: z.string().min(1).optional() };

const patch = z
  .strictObject({
    taskId: z.string().min(1),
    status: z.enum(TASK_STATUSES).optional(),
    notesReplace: z.string().optional(),
    notesAppend: z.string().optional(),
  })
  .refine(
    ({ notesReplace, notesAppend }) => notesReplace === undefined || notesAppend === undefined,
    "has both notesReplace and notesAppend",
  );

const mutationSchema = z.strictObject({
  run: z
    .strictObject({
      cwd: z.string().min(1).optional(),
      backend: z.string().min(1).optional(),
      model: z.string().min(1).nullable().optional(),
      effort: z.enum(EFFORTS).nullable().optional(),
      timeoutSec: z.number().positive().optional(),
      unrestricted: z.boolean().optional(),
      lockedFields: z.array(z.enum(LOCKABLE_FIELDS)).optional(),
      initialPrompt: z.string().min(1).optional(),
      attemptPrompt: z.string().min(1).optional(),
    })
    .optional(),
  vars: z.record(z.string().regex(/^[\w.-]+$/), z.union([z.string(), z.number(), z.boolean()])).optional(),
  state: z.record(z.string(), z.json()).optional(),
  note: z.string().nullable().optional(),
  pinned: z.boolean().optional(),
  patchTasks: z.array(patch).optional(),
  attachments: z
    .strictObject({
      remove: z.array(z.string().min(1)).optional(),
      replace: z
        .array(z.strictObject({ attachmentId: z.string().min(1), sourcePath: z.string().min(1), ...file }))
        .optional(),
      add: z.array(z.strictObject({ sourcePath: z.string().min(1), ...file })).optional(),
    })
    .optional(),
});

/** Throws HookFailure("invalid-answer") on an opinion or a mutation that cannot be taken at its word. */
export function checkedMutation({ opinion, mutate }: Verdict): Mutation {
  if (opinion.kind === "block" && opinion.reason.trim() === "") throw invalid("it refused without a reason");
  if (opinion.kind === "reinvoke" && opinion.prompt.trim() === "")
    throw invalid("it asked for another attempt without a prompt");
  return mutate === undefined ? {} : readMutation(mutate);
}

function readMutation(mutate: JsonObject): Mutation {
  const result = mutationSchema.safeParse(mutate);
  // zod's optional keys may hold undefined, which JSON cannot.
  if (result.success) return result.data as Mutation;
  const { path, words, hint } = plainProblem(result.error.issues, mutationSchema, mutate);
  throw invalid(`${["mutate", ...path].join(".")}: ${words}${hint ? `; ${hint}` : ""}`);
}

export const invalid = (message: string) => new HookFailure("invalid-answer", message);
