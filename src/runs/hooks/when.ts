/** When a hook of a run is asked: which sessions and attempts, or which edits of which tasks. */
import { z } from "zod";
import { type ErrorPlace, HoldfastError } from "../../core/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { nearest } from "../../core/nearest.ts";
import { keysAt, plainProblem } from "../plain-problem.ts";
import type { Phase } from "../run.ts";
import { EDIT_SOURCES, TASK_STATUSES } from "../task.ts";
import type { Moment } from "./phase.ts";

const oneOrMore = <T extends z.ZodType<string | number>>(item: T) =>
  z
    .union([item, z.array(item).min(1, "is empty, so the hook would never be asked")])
    .transform((given) => (Array.isArray(given) ? given : [given]))
    .refine((items) => new Set(items).size === items.length, "names the same twice");

const index = oneOrMore(z.int().min(0));

const attemptWhen = z.strictObject({ sessionIndex: index.optional(), attemptIndexInSession: index.optional() });

const taskWhen = z
  .strictObject({
    taskId: z.string().min(1).optional(),
    taskIds: z
      .array(z.string().min(1))
      .min(1, "is empty, so the hook would never be asked")
      .refine((ids) => new Set(ids).size === ids.length, "names a task twice")
      .optional(),
    fromStatus: oneOrMore(z.enum(TASK_STATUSES)).optional(),
    toStatus: oneOrMore(z.enum(TASK_STATUSES)).optional(),
    source: oneOrMore(z.enum(EDIT_SOURCES)).optional(),
  })
  .refine(({ taskId, taskIds }) => taskId === undefined || taskIds === undefined, "has both taskId and taskIds");

const SCHEMAS = {
  beforeAttempt: attemptWhen,
  afterAttempt: attemptWhen,
  afterExit: attemptWhen,
  taskTransition: taskWhen,
} as const;

export interface WhenPlace {
  readonly phase: Phase;
  /** Every task there is. */
  readonly tasks: readonly string[];
  /** The task whose own hook it is. */
  readonly task: string | null;
  readonly place: ErrorPlace;
}

/** The filter with lists where one value may stand; throws on what cannot be meant. */
export function checkWhen(when: Json, { phase, tasks, task, place }: WhenPlace): JsonObject | null {
  if (when === null) return null;
  const fail = (message: string, hint?: string) =>
    new HoldfastError("HF1009", message, hint ? { ...place, hint } : place);
  if (phase === "prepare")
    throw fail("a prepare hook takes no when: it runs once, before there is anything to filter by");
  const schema: z.ZodType<JsonObject> = SCHEMAS[phase] as never;
  const result = schema.safeParse(when);
  if (!result.success) {
    const { path, unknownKey, words, hint } = plainProblem(result.error.issues, schema, when);
    if (unknownKey === undefined) throw fail(`${["when", ...path].join(".")}: ${words}`, hint);
    const known = keysAt(SCHEMAS[phase], []);
    throw fail(`unknown key "${unknownKey}" in the when of a ${phase} hook`, hint ?? `use ${known.join(", ")}`);
  }
  const filter = result.data;
  for (const id of idsOf(filter)) {
    if (task !== null && id !== task) {
      throw fail(
        `a hook of task "${task}" cannot be about task "${id}"`,
        "remove the when, or put the hook under hooks.taskTransition",
      );
    }
    if (!tasks.includes(id)) {
      const meant = nearest(id, tasks);
      throw fail(
        `when names task "${id}", which is not there`,
        meant ? `did you mean ${meant}?` : `tasks are ${tasks.join(", ") || "none"}`,
      );
    }
  }
  return filter;
}

const idsOf = ({ taskId, taskIds }: JsonObject): string[] =>
  [taskId ?? [], taskIds ?? []].flat().filter((id): id is string => typeof id === "string");

/** Whether a checked filter lets a hook be asked at this moment. All of it must hold. */
export function matchesWhen(when: JsonObject | null, moment: Moment): boolean {
  if (when === null) return true;
  const allows = (key: string, value: Json) =>
    !Array.isArray(when[key]) || (when[key] as readonly Json[]).includes(value);
  switch (moment.phase) {
    case "prepare":
      return true;
    case "taskTransition": {
      const { taskId, source, before, after } = moment.transition;
      const ids = idsOf(when);
      return (
        (ids.length === 0 || ids.includes(taskId)) &&
        allows("fromStatus", before?.status ?? null) &&
        allows("toStatus", after?.status ?? null) &&
        allows("source", source)
      );
    }
    default:
      return allows("sessionIndex", moment.sessionIndex) && allows("attemptIndexInSession", moment.attemptIndex);
  }
}

/** Whether it still has `{{key}}` in it, and can be checked only once those are filled in. */
export function hasTemplates(value: Json): boolean {
  if (typeof value === "string") return value.includes("{{");
  if (Array.isArray(value)) return value.some(hasTemplates);
  return isJsonObject(value) && Object.values(value).some(hasTemplates);
}
