/** Front matter of assignments, agents and task files. The published JSON Schemas and reference derive from it. */
import { z } from "zod";
import { CAPABILITIES, EFFORTS, LOCKABLE_FIELDS, PHASES, type Phase } from "../run.ts";
import { VAR_SOURCES, VAR_TYPES } from "./assignment.ts";

const schemaVersion = z.literal(1).describe("of the front matter");

const hookEntry = z.strictObject({
  builtin: z.string().min(1).optional().describe("a hook that ships with Holdfast"),
  name: z
    .string()
    .regex(/^[\w-][\w.-]*$/, "must be a plain name, without a path")
    .optional()
    .describe("<config>/hooks/<name>/hook.(ts|mts|js|mjs), or the project's .holdfast/hooks/<name>/"),
  path: z.string().min(1).optional().describe("a module, relative to assignment.md"),
  with: z.json().optional().describe("what the hook is given; `{{key}}` is filled in before prepare"),
  when: z.json().optional().describe("when it is asked; what may stand here depends on the phase"),
  timeoutSec: z
    .number()
    .positive()
    .max(86_400)
    .optional()
    .describe("until it counts as failed; default 60, of a built-in its own"),
  onError: z
    .enum(["block", "continue", "ask"])
    .optional()
    .describe("what a failure means; ask: a person says whether to go on; default: block, after a run's end continue"),
  may: z
    .array(z.enum(CAPABILITIES))
    .optional()
    .describe("what it may change; default: all its phase allows but locked fields"),
});
export type RawHookEntry = z.infer<typeof hookEntry>;

const WHEN: Readonly<Record<Phase, string>> = {
  prepare: "once, before the run is written down; takes no when",
  beforeAttempt: "before each attempt",
  afterAttempt: "after each attempt",
  afterExit: "after the run ended",
  taskTransition: "around every edit of a task",
};

const hooks = z.strictObject(
  Object.fromEntries(PHASES.map((phase) => [phase, z.array(hookEntry).optional().describe(WHEN[phase])])) as {
    [P in Phase]: z.ZodOptional<z.ZodArray<typeof hookEntry>>;
  },
);

const title = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\r\n]*$/, "must be one line");
export const taskId = z
  .string()
  .max(128)
  .regex(/^[A-Za-z0-9._:/-]+$/, "may have letters, digits and . _ : / -");

const task = z.strictObject({
  id: taskId.describe("unique in the assignment"),
  title: title.describe("one line"),
  body: z.string().optional().describe("what is to be done"),
  hooks: z.array(hookEntry).optional().describe("taskTransition hooks of this task, before those of the assignment"),
});

const lockedFields = z.array(z.enum(LOCKABLE_FIELDS)).optional().describe("what nobody may override");

const varDeclaration = z.strictObject({
  type: z.enum(VAR_TYPES).optional().describe("default string"),
  required: z.boolean().optional().describe("default false"),
  requiredAt: z.enum(["initial", "prepare"]).optional().describe("by when it must have a value; default initial"),
  sources: z
    .array(z.enum(VAR_SOURCES))
    .min(1)
    .refine((sources) => new Set(sources).size === sources.length, "names a source twice")
    .optional()
    .describe("where it may come from, the first that has it wins; default cli, web"),
  envName: z.string().min(1).optional().describe("the environment variable; default: its own name"),
  default: z.union([z.string(), z.number(), z.boolean()]).optional().describe("where no source has it"),
  description: z.string().optional().describe("for whoever has to give it"),
  values: z.array(z.string()).min(1).optional().describe("of an enum"),
});
export type RawVar = z.infer<typeof varDeclaration>;

const schedule = z
  .strictObject({
    at: z.string().optional().describe("once, at this time"),
    delay: z.union([z.string(), z.number()]).optional().describe("once, after this time"),
    cron: z.string().optional().describe("again and again"),
    timezone: z.string().optional().describe("of cron"),
    mode: z.enum(["reuse", "reset", "clone"]).optional().describe("of cron: what the next time begins with"),
    continueOnFailure: z.boolean().optional().describe("of cron: also after a run that failed"),
  })
  .refine(
    ({ at, delay, cron }) => [at, delay, cron].filter((given) => given !== undefined).length === 1,
    "needs exactly one of at, delay and cron",
  )
  .refine(
    ({ cron, timezone, mode, continueOnFailure }) =>
      cron !== undefined || [timezone, mode, continueOnFailure].every((given) => given === undefined),
    "timezone, mode and continueOnFailure belong to cron",
  );

export const assignmentSchema = z.strictObject({
  schemaVersion,
  name: z.string().min(1).describe("how runs of it are called"),
  cwd: z.string().optional().describe("where the work is done; `.` is where it is started; `{{key}}` is filled in"),
  message: z.string().optional().describe("said to the backend after the instructions"),
  schedule: schedule.optional().describe("kept with the run; Holdfast does not start runs by itself"),
  maxRetries: z.int().min(0).max(20).optional().describe("attempts after the first, in each session; default 3"),
  callerInstructions: z.string().optional().describe("for whoever starts the run; never sent to the backend"),
  vars: z
    .record(z.string().regex(/^[\w.-]+$/), varDeclaration)
    .optional()
    .describe("what `{{key}}` may stand for"),
  hooks: hooks.optional().describe("hooks by phase, in the order they run"),
  tasks: z
    .array(z.union([z.string().min(1), task]))
    .max(100)
    .optional()
    .describe("a task, or the name or path of a shared task file"),
  lockedFields,
  onHookDrift: z
    .enum(["refuse", "warn"])
    .optional()
    .describe("what happens when a hook's code is not what it was when the run was made; default refuse"),
});

export const taskFileSchema = z.strictObject({
  schemaVersion,
  id: taskId.optional().describe("default: the file's name"),
  title: title.describe("one line"),
  hooks: z.array(hookEntry).optional().describe("taskTransition hooks of this task"),
});

export const agentSchema = z.strictObject({
  schemaVersion,
  name: z
    .string()
    .min(1)
    .refine((name) => name !== "ad-hoc", "ad-hoc is reserved for runs without an agent")
    .describe("how records call it"),
  backend: z.string().min(1).describe("what does the work"),
  model: z.string().optional().describe("of the backend; default: the backend's own"),
  effort: z.enum(EFFORTS).optional().describe("how hard the model is to think, where the backend has such a setting"),
  launcher: z
    .union([z.string(), z.strictObject({ command: z.string().min(1), args: z.array(z.string()).optional() })])
    .optional()
    .describe("a program that the backend's is started through"),
  executionEnvironment: z.json().optional().describe("kept with the run"),
  backendConfig: z.record(z.string(), z.json()).optional().describe("settings of the backend"),
  backendArgs: z
    .record(z.string(), z.strictObject({ extraArgs: z.array(z.string()).describe("put before the prompt") }))
    .optional()
    .describe("further arguments, by backend"),
  timeoutSec: z.int().min(1).optional().describe("for one attempt; default 3600"),
  unrestricted: z.boolean().optional().describe("the backend asks nobody; default true"),
  lockedFields,
});
