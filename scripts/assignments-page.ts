/** The front matter of assignments, agents and task files: its JSON Schemas and its reference page. */
import { z } from "zod";
import { agentSchema, assignmentSchema, taskFileSchema } from "../src/runs/assignment/schema.ts";
import { INJECTED_KEYS } from "../src/runs/assignment/template.ts";
import { RUN_BUILTINS } from "../src/runs/hooks/builtins/registry.ts";
import { CAPABILITIES, LOCKABLE_FIELDS } from "../src/runs/run.ts";
import { EDIT_SOURCES, TASK_STATUSES } from "../src/runs/task.ts";
import { code, GENERATED, grid, page } from "./reference-page.ts";

const DEFINITIONS = {
  assignment: { schema: assignmentSchema, title: "assignment.md", where: "assignments/<name>/assignment.md" },
  agent: { schema: agentSchema, title: "agent.md", where: "agents/<name>/agent.md" },
  task: { schema: taskFileSchema, title: "a shared task file", where: "tasks/<name>.md" },
} as const;

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly required?: readonly string[];
}

const jsonSchema = (schema: z.ZodType): Schema => z.toJSONSchema(schema, { target: "draft-7", io: "input" }) as Schema;

export function definitionSchemas(): Record<string, object> {
  return Object.fromEntries(
    Object.entries(DEFINITIONS).map(([name, { schema, title }]) => [
      `${name}.schema.json`,
      { $comment: GENERATED, title: `front matter of ${title}`, ...jsonSchema(schema) },
    ]),
  );
}

export function assignmentsPage(): string {
  return page(
    "Assignments, agents and task files",
    "Markdown files with YAML on top, by name under `.holdfast/` of the project or under the user's config directory, or by path. How they are used: [the guide](../guide/assignments.md). An unknown key is an error.",
    ...Object.entries(DEFINITIONS).map(([name, { schema, where }]) => definition(name, jsonSchema(schema), where)),
    "## What `{{key}}` may stand for",
    `Every declared variable, and ${INJECTED_KEYS.map(code).join(", ")}.`,
    "## Values",
    grid(
      ["of", "values"],
      [
        ["`lockedFields`", LOCKABLE_FIELDS.map(code).join(", ")],
        ["`may` of a hook", CAPABILITIES.map(code).join(", ")],
        ["status of a task", TASK_STATUSES.map(code).join(", ")],
        ["`when.source`", EDIT_SOURCES.map(code).join(", ")],
      ],
    ),
    "## Built-in hooks",
    ...RUN_BUILTINS.map(({ name, doc, phases, config, timeoutSec }) =>
      [
        `### ${name}`,
        `${doc[0]?.toUpperCase()}${doc.slice(1)}. Phases: ${phases.map(code).join(", ")}. Time given: ${timeoutSec} s unless \`timeoutSec\` says otherwise.`,
        grid(["`with`", "type", "meaning"], rowsOf(objectIn(jsonSchema(config)), "")),
      ].join("\n\n"),
    ),
  );
}

const definition = (name: string, schema: Schema, where: string) =>
  `## ${name}\n\n${code(where)}; schema: [${name}.schema.json](../../schemas/${name}.schema.json).\n\n${grid(["key", "type", "meaning"], rowsOf(schema, ""))}`;

/** Of a schema that may also be null or a text, the object. */
const objectIn = (schema: Schema): Schema => schema.anyOf?.find(({ properties }) => properties) ?? schema;

/** A row for each key, and below it one for each of its own; hook entries are shown once. */
function rowsOf(schema: Schema, above: string): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, value]) => {
    const name = `${above}${key}`;
    const isRequired = schema.required?.includes(key) && above === "";
    const row = [
      code(name.replace("hooks.prepare[]", "hooks.<phase>[]")),
      `${typeOf(value)}${isRequired ? ", required" : ""}`,
      value.description ?? "",
    ];
    return [row, ...below(name, value)];
  });
}

function below(name: string, value: Schema): string[][] {
  if (/^hooks\.(?!prepare)|^tasks\[\]\.hooks/.test(name)) return [];
  const item = value.items ? objectIn(value.items) : undefined;
  if (item?.properties) return rowsOf(item, `${name}[].`);
  const each = typeof value.additionalProperties === "object" ? value.additionalProperties : undefined;
  if (each?.properties) return rowsOf(each, `${name}.<key>.`);
  return value.properties ? rowsOf(value, `${name}.`) : [];
}

function typeOf({ type, enum: values, const: constant, anyOf, items, minimum, maximum }: Schema): string {
  if (constant !== undefined) return String(constant);
  if (values) return values.join(", ");
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(" or ");
  if (type === "array") return `list of ${items ? typeOf(items) : "any"}`;
  if (type === "integer" && maximum !== undefined && maximum < 1000) return `integer ${minimum ?? 0} to ${maximum}`;
  return type ?? "any JSON";
}
