/** The one schema of holdfast.yaml, .toml and .json, in every layer. */
import { z } from "zod";
import { EVENT_NAMES, type EventName } from "../core/event.ts";
import type { Field, Fields, Spec } from "../core/fields.ts";
import type { Tunable } from "../core/tunable.ts";
import { approvalsSection, approvalsStore, recordsSection } from "./approvals-schema.ts";
import { knowledgeSection } from "./knowledge-schema.ts";
import { runsSection } from "./runs-schema.ts";

const timeout = z.int().min(1).max(3600).describe("seconds until the hook counts as failed; default 30");

const everyHook = {
  id: z.string().min(1).optional().describe("the hook's name in decisions and records; default: made from its source"),
  timeout_sec: timeout.optional(),
  on_error: z
    .enum(["block", "continue"])
    .optional()
    .describe("what a failure of this hook means; default: block on events that guard, continue elsewhere"),
  priority: z.int().min(-1000).max(1000).optional().describe("lower runs first within its layer; default 100"),
  mode: z.enum(["enforce", "observe"]).optional().describe("observe: judged and recorded, not enforced"),
  status_message: z.string().optional().describe("shown to a person while the hook runs"),
};

export const commandEntry = z
  .strictObject({
    type: z.literal("command"),
    command: z
      .string()
      .refine((text) => text.trim() !== "", "must not be blank")
      .describe("run through sh -c"),
    env: z.record(z.string(), z.string()).optional().describe("added to the inherited environment"),
    ...everyHook,
  })
  .describe("any program: one JSON object on stdin, one on stdout");

export const moduleEntry = z
  .strictObject({
    type: z.literal("module"),
    path: z.string().min(1).optional().describe("a .ts, .mts, .js or .mjs file, relative to this config file"),
    name: z
      .string()
      .regex(/^[\w-]+$/)
      .optional()
      .describe("a hook in <config>/hooks/<name>/hook.(ts|mts|js|mjs)"),
    with: z.record(z.string(), z.json()).optional().describe("options passed to the hook"),
    ...everyHook,
  })
  .describe("TypeScript or JavaScript that exports defineHook({...}) or a hook class");

export const hookEntry = z.discriminatedUnion("type", [commandEntry, moduleEntry]);

export const hookGroup = z.strictObject({
  matcher: z
    .string()
    .optional()
    .describe("RE2, searched in the tool's name or kind, or the sub-agent's id; absent or blank: everything"),
  hooks: z.array(hookEntry).min(1),
});

const eventNames = z
  .array(z.enum(EVENT_NAMES as [EventName, ...EventName[]]))
  .min(1)
  .optional();

const agentHookSettings = {
  tools: z.string().min(1).optional().describe("glob on the tool's name or kind"),
  ...everyHook,
};

/** One entry of an agent's list of hooks, by what it names. */
export const agentHook = z.union([
  z.string().min(1).describe("a built-in hook, or one in .holdfast/hooks/<name>/"),
  z.strictObject({
    name: z.string().min(1).describe("a built-in hook, or one in .holdfast/hooks/<name>/"),
    config: z.record(z.string(), z.json()).optional().describe("its options"),
    ...agentHookSettings,
  }),
  z.strictObject({
    path: z.string().min(1).describe("a hook module, relative to this config file"),
    config: z.record(z.string(), z.json()).optional().describe("its options"),
    ...agentHookSettings,
  }),
  z.strictObject({
    command: z.string().min(1).describe("any program, run through sh -c"),
    on: eventNames.describe("default pre_tool_use"),
    env: z.record(z.string(), z.string()).optional().describe("added to the inherited environment"),
    ...agentHookSettings,
  }),
]);

export const agentSection = z.strictObject({
  inherit: z.boolean().optional().describe("false: the agents it asks do not have these hooks; default true"),
  hooks: z.array(agentHook).optional().describe("hooks of this agent, by name or with their options"),
  approvals: approvalsSection.optional().describe("calls of this agent that need a person's yes, as under approvals"),
  confirm_everything: z.boolean().optional().describe("true: every call of this agent needs an approver's yes"),
});

const groups = z.object(
  Object.fromEntries(EVENT_NAMES.map((name) => [name, z.array(hookGroup).optional()])) as {
    [N in EventName]: z.ZodOptional<z.ZodArray<typeof hookGroup>>;
  },
);

export const hooksSection = z.strictObject({
  enabled: z.boolean().optional().describe("false: none of this file's hooks run"),
  bypass_trust: z.boolean().optional().describe("accepted for compatibility; has no effect"),
  test_patterns: z.array(z.string()).optional().describe("the same as workflow.test_patterns"),
  ...groups.shape,
});

const zodOf = (field: Pick<Field, "spec" | "doc">): z.ZodType => {
  const inner = (spec: Spec) => zodOf({ spec, doc: "" });
  const described = (type: z.ZodType) => (field.doc ? type.describe(field.doc) : type);
  const { spec } = field;
  switch (spec.type) {
    case "json":
      return described(z.json());
    case "string":
      return described(z.string());
    case "boolean":
      return described(z.boolean());
    case "integer":
      return described(z.int().min(0));
    case "enum":
      return described(z.enum(spec.values as [string, ...string[]]));
    case "nullable":
      return described(inner(spec.of).nullable());
    case "list":
      return described(z.array(inner(spec.of)));
    case "map":
      return described(z.record(z.string(), inner(spec.of)));
    case "object":
      return described(z.strictObject(zodFields(spec.fields)));
  }
};

const zodFields = (fields: Fields) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, field.optional ? zodOf(field).optional() : zodOf(field)]),
  );

const guardSetting = (entry: Tunable | undefined) =>
  z
    .union([
      z.boolean(),
      z.strictObject({
        mode: z.enum(["enforce", "observe"]).optional(),
        ...optionsOf(entry),
      }),
    ])
    .optional()
    .describe(entry?.doc ?? "");

/** Guards that also have a section of their own. */
const topLevelGuards = (catalogue: readonly Tunable[]) => ({
  workflow: guardSetting(catalogue.find(({ name }) => name === "workflow")).describe(
    "what must have happened before what; the same as guards.workflow",
  ),
});

const optionsOf = (entry: Tunable | undefined) =>
  Object.fromEntries(Object.entries(entry?.options ?? {}).map(([name, field]) => [name, zodOf(field).optional()]));

export function configSchema(catalogue: readonly Tunable[]) {
  return z
    .strictObject({
      $schema: z.string().optional(),
      version: z.literal(1).optional(),
      guards: z
        .strictObject(Object.fromEntries(catalogue.map((entry) => [entry.name, guardSetting(entry)])))
        .optional()
        .describe(
          "built-in hooks: false switches one off, true or options switch one on that is off by default, mode: observe only records",
        ),
      ...topLevelGuards(catalogue),
      approvals: approvalsSection.optional(),
      approvals_store: approvalsStore.optional(),
      runs: runsSection.optional(),
      hooks: hooksSection.optional().describe("hooks people bring, by event"),
      agent: z
        .looseObject({ hooks: hooksSection.optional() })
        .optional()
        .describe("an agent profile; its hooks are read, its other keys belong to the agent"),
      agents: z
        .record(z.string().min(1), agentSection)
        .optional()
        .describe("hooks that are only for the agents named, and those they ask"),
      untrusted: z
        .strictObject({
          guards: z.enum(["block", "skip"]).optional().describe("default block"),
          advice: z.enum(["block", "skip"]).optional().describe("default skip"),
        })
        .optional()
        .describe("what an untrusted project hook does to the call; user and managed config only"),
      knowledge: knowledgeSection.optional(),
      context: z
        .strictObject({ max_characters: z.int().min(0).max(100_000).optional().describe("default 8000") })
        .optional()
        .describe("how much hooks may tell the model per event"),
      records: recordsSection.optional(),
    })
    .describe("Holdfast's rules");
}

export type Config = z.infer<ReturnType<typeof configSchema>>;
export type HooksSection = z.infer<typeof hooksSection>;
export type HookEntry = z.infer<typeof hookEntry>;
export type CommandEntry = z.infer<typeof commandEntry>;
export type AgentHook = z.infer<typeof agentHook>;
export type ModuleEntry = z.infer<typeof moduleEntry>;
