/** Everything that is generated from the source's own tables: JSON Schemas and the reference pages. */
import { z } from "zod";
import { BINDINGS } from "../src/bindings/registry.ts";
import { supportRows as bindingRows } from "../src/bindings/support.ts";
import { configSchema } from "../src/config/schema.ts";
import { ERRORS } from "../src/core/errors.ts";
import { EVENT_NAMES, type EventName, eventRow } from "../src/core/event.ts";
import type { Field, Spec } from "../src/core/fields.ts";
import { wireInputFields } from "../src/custom/wire-input.ts";
import { wireSchemas } from "../src/custom/wire-schemas.ts";
import { CATALOGUE } from "../src/engine/builtins.ts";
import { VERSION } from "../src/engine/version.ts";
import { COMMANDS } from "../src/entry/cli/commands.ts";
import { cellOf, eventRows, LEGEND, type RuleRow } from "../src/entry/cli/hosts.ts";
import { openApiDocument } from "../src/entry/server/openapi.ts";
import { PACKS } from "../src/hooks/destructive-command/packs.ts";
import type { Rule } from "../src/hooks/destructive-command/rule.ts";
import { hostRegistration, PROTECTIONS } from "../src/hooks/protected-paths/protections.ts";
import { BUILTIN_HOOKS } from "../src/hooks/registry.ts";
import { saysOf } from "../src/hosts/enforcement.ts";
import { type Delivery, supportRows } from "../src/hosts/host.ts";
import { HOSTS } from "../src/hosts/registry.ts";
import { CONTRACTS } from "../src/knowledge/curation/contracts.ts";
import { assignmentsPage, definitionSchemas } from "./assignments-page.ts";
import { pluginHooks } from "./plugin-hooks.ts";
import { code, GENERATED, grid, page } from "./reference-page.ts";

/** Path in the repository -> content. */
export function referenceFiles(): Record<string, string> {
  const schemas = {
    ...wireSchemas(),
    "config.schema.json": configJsonSchema(),
    ...definitionSchemas(),
    ...knowledgeSchemas(),
  };
  return {
    ...Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [`schemas/${name}`, jsonText(schema)])),
    "docs/reference/events.md": eventsPage(),
    "docs/reference/errors.md": errorsPage(),
    "docs/reference/config.md": configPage(),
    "docs/reference/cli.md": cliPage(),
    "docs/reference/hosts.md": hostsPage(),
    "docs/reference/rules.md": rulesPage(),
    "docs/reference/bindings.md": bindingsPage(),
    "docs/reference/openapi.json": jsonText(openApiDocument(VERSION)),
    "docs/reference/assignments.md": assignmentsPage(),
    "plugin/hooks/hooks.json": jsonText(pluginHooks()),
  };
}

const jsonText = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

function configJsonSchema() {
  return {
    $comment: GENERATED,
    title: "holdfast.yaml",
    ...z.toJSONSchema(configSchema(CATALOGUE), { target: "draft-7", io: "input" }),
  };
}

const knowledgeSchemas = () =>
  Object.fromEntries(
    Object.entries(CONTRACTS).map(([name, contract]) => [
      `${name}.schema.json`,
      {
        $comment: GENERATED,
        $schema: "http://json-schema.org/draft-07/schema#",
        title: contract.title,
        ...(contract.schema() as object),
      },
    ]),
  );

function eventsPage(): string {
  const overview = EVENT_NAMES.map((name) => {
    const { fires, answers, matcher, guards, law } = eventRow(name);
    return [
      code(name),
      fires,
      answers.join(", ") || "–",
      matcher ?? "–",
      guards ? "block" : "continue",
      law ?? "judgement",
    ];
  });
  return page(
    "Events",
    "What hooks can listen to. Config also accepts PascalCase and camelCase of a name, and the aliases given below.",
    "*judgement*: all hooks are asked, the strongest answer wins (block > ask > allow > none). *procedure*: hooks run one after another, the first refusal ends the phase.",
    grid(["event", "fires", "may answer", "matcher on", "default on_error", "law"], overview),
    "## What a command hook reads on stdin",
    ...EVENT_NAMES.map(eventSection),
  );
}

function eventSection(name: EventName): string {
  const aliases = eventRow(name).aliases ?? [];
  const fields = Object.entries(wireInputFields(name)).map(([field, { spec, doc }]) => [
    code(field),
    specText(spec),
    doc,
  ]);
  const stem = name.replaceAll("_", "-");
  return [
    `### ${name}`,
    ...(aliases.length > 0 ? [`Also called ${aliases.map(code).join(", ")}.`] : []),
    `Schemas: [input](../../schemas/${stem}.command.input.schema.json), [output](../../schemas/${stem}.command.output.schema.json).`,
    grid(["field", "type", "meaning"], fields),
  ].join("\n\n");
}

function specText(spec: Spec): string {
  switch (spec.type) {
    case "enum":
      return spec.values.join(", ");
    case "nullable":
      return `${specText(spec.of)} or null`;
    case "list":
      return `list of ${specText(spec.of)}`;
    case "map":
      return `map of ${specText(spec.of)}`;
    case "json":
      return "any JSON";
    case "object":
      return `object with ${Object.keys(spec.fields).join(", ")}`;
    default:
      return spec.type;
  }
}

const errorsPage = () =>
  page(
    "Errors",
    "Every error has a code, names the thing, and says what to do. Under `--json` it is an object with `code`, `message`, `file`, `line`, `key` and `fix`.",
    grid(
      ["code", "what", "what to do"],
      Object.entries(ERRORS).map(([name, { title, fix }]) => [code(name), title, fix]),
    ),
  );

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly required?: readonly string[];
}

function configPage(): string {
  const schema = configJsonSchema() as Schema;
  const { hooks, agent: _agent, ...rest } = schema.properties ?? {};
  const group = hooks?.properties?.pre_tool_use?.items as Schema;
  const entries = (group.properties?.hooks?.items?.oneOf ??
    group.properties?.hooks?.items?.anyOf ??
    []) as readonly Schema[];
  const guards = CATALOGUE.map(({ name, doc, options }) => [
    code(name),
    doc,
    Object.entries(options)
      .map(([option, field]) => optionText(option, field))
      .join("; ") || "–",
  ]);
  return page(
    "Config",
    "`holdfast.yaml`, `holdfast.yml`, `holdfast.toml` or `holdfast.json`, one of them in each place: managed (`/etc/holdfast/`), user (`$HOLDFAST_CONFIG_DIR`, else `$XDG_CONFIG_HOME/holdfast`), project (every directory from the outermost down to the working directory), local (`holdfast.local.*` beside the project's). The same schema everywhere: [config.schema.json](../../schemas/config.schema.json).",
    "A lower layer adds and tightens. Only the layer that set a rule can loosen it; a project that loosens a shipped default needs trust. `${NAME}` and `${NAME:-default}` (upper case) in any text are taken from the environment.",
    "## Keys",
    grid(
      ["key", "meaning"],
      Object.entries(rest)
        .filter(([name]) => name !== "$schema")
        .flatMap(([name, value]) => keyRows(name, value)),
    ),
    "## Guards",
    grid(["guard", "what it does", "options"], guards),
    "Each guard takes `false`, or its options with `mode: enforce` or `mode: observe`.",
    "## Hooks",
    "`hooks.<event>` (or `agent.hooks.<event>`) is a list of groups: `matcher`, and `hooks`, a list of entries. [Events](events.md) tells which events take a matcher.",
    ...entries.map(
      (entry) =>
        `### type: ${entry.properties?.type?.const}\n\n${entry.description ?? ""}\n\n${grid(["key", "type", "meaning"], entryRows(entry))}`,
    ),
  );
}

const optionText = (name: string, { spec, doc }: Field) => `${code(name)} (${specText(spec)}): ${doc}`;

const keyRows = (name: string, schema: Schema): string[][] => [
  [code(name), schema.description ?? ""],
  ...(name === "guards"
    ? []
    : Object.entries(schema.properties ?? {}).map(([key, value]) => [code(`${name}.${key}`), value.description ?? ""])),
];

const entryRows = ({ properties = {}, required = [] }: Schema) =>
  Object.entries(properties).map(([key, value]) => [
    code(key),
    `${value.enum?.join(", ") ?? (value.const !== undefined ? String(value.const) : (value.type ?? "any"))}${required.includes(key) ? ", required" : ""}`,
    value.description ?? "",
  ]);

function cliPage(): string {
  const sections = COMMANDS.map((command) =>
    [
      `## holdfast ${command.name}`,
      `${command.summary[0]?.toUpperCase()}${command.summary.slice(1)}.`,
      `\`\`\`sh\nholdfast ${command.usage}\n\`\`\``,
      grid(
        ["option", "meaning"],
        Object.entries(command.flags).map(([name, { value, doc }]) => [
          code(`--${name}${value ? ` <${value}>` : ""}`),
          doc,
        ]),
      ),
      `\`\`\`sh\n${command.examples.join("\n")}\n\`\`\``,
    ].join("\n\n"),
  );
  return page(
    "Command line",
    "Every command that reports takes `--json`; every command that writes takes `--dry-run`; all work from a subdirectory.",
    grid(
      ["exit code", "meaning"],
      [
        ["0", "done"],
        ["1", "findings, or not finished"],
        ["2", "blocked"],
        ["3", "bad input or config"],
        ["4", "a program we ran failed"],
        ["130", "interrupted"],
      ],
    ),
    ...sections,
  );
}

function rulesPage(): string {
  const example = (item: Rule["stops"][number] | undefined) =>
    code((typeof item === "string" ? item : (item?.command ?? "")).replaceAll("\n", "⏎"));
  const sections = PACKS.map(
    ({ name, doc, rules }) =>
      `## ${name}\n\n${doc[0]?.toUpperCase()}${doc.slice(1)}.\n\n${grid(
        ["rule", "severity", "stops, for example", "leaves alone, for example", "tells the model"],
        rules.map(({ id, severity, stops, passes, instead }) => [
          code(id),
          severity,
          example(stops[0]),
          example(passes[0]),
          instead,
        ]),
      )}`,
  );
  const registration = hostRegistration(HOSTS.flatMap(({ settingsGlobs }) => settingsGlobs));
  const paths = [registration, ...PROTECTIONS].map(({ id, severity, against, globs, instead }) => [
    code(`protected-paths/${id}`),
    severity,
    against === "both" ? "reading and writing" : against === "read" ? "reading" : "writing",
    globs.slice(0, 6).map(code).join(", ") + (globs.length > 6 ? ` and ${globs.length - 6} more` : ""),
    instead,
  ]);
  return page(
    "Rules",
    "What the built-in guards stop, on default settings. Each rule of the guard `destructive-command` carries commands it must stop and commands it must leave alone; the test suite and `holdfast check` run them all. A rule's severity can be changed under `guards.destructive-command.rules`, exceptions are made under `guards.destructive-command.allow`.",
    ...sections,
    "## Protected paths",
    grid(["rule", "severity", "against", "paths", "tells the model"], paths),
  );
}

function hostsPage(): string {
  const sections = HOSTS.map((host) => {
    const rows = supportRows(host.support).map(({ event, native, answers, onCrash, timeoutMs }) => [
      code(event),
      native.map(code).join(", "),
      Object.entries(answers)
        .map(([answer, delivery]) => `${answer}: ${deliveryText(delivery)}`)
        .join("; ") || "observed",
      onCrash,
      `${timeoutMs / 1000} s`,
    ]);
    return `### ${host.title}\n\nHost id ${code(host.id)}; proven on version ${host.provenVersion}.\n\n${grid(["event", "host's name", "answers", "if our process dies, the host", "time given"], rows)}`;
  });
  return page(
    "Hosts",
    "`holdfast hosts` prints the same for the rules of your own project.",
    `## The built-in hooks\n\n${matrix(BUILTIN_HOOKS.map(({ name, on, answers }) => ({ name, events: on, says: saysOf(on, answers) })))}`,
    `## Every answer to every event\n\n${matrix(eventRows())}`,
    LEGEND.map((line) => `- ${line.replace(/^(\w+) +/, "**$1**: ")}`).join("\n"),
    "## Host by host\n\nAn answer that a host cannot express becomes the nearest stronger one; what cannot be delivered at all leaves a notice. Events that are not listed never happen on that host.",
    ...sections,
  );
}

function matrix(rows: readonly RuleRow[]): string {
  const cells = rows.map((one) => [code(one.name), ...HOSTS.map((host) => cellOf(host, one).enforcement)]);
  return grid(
    ["", ...HOSTS.map(({ title }) => title)],
    [...cells, ["proven on", ...HOSTS.map((host) => host.provenVersion)]],
  );
}

function deliveryText(delivery: Delivery): string {
  if (delivery === "native") return "as it is";
  if ("partly" in delivery) return `as it is where the payload allows (${delivery.partly})`;
  return "becomes" in delivery
    ? `becomes ${delivery.becomes} (${delivery.how})`
    : `not delivered (${delivery.undelivered})`;
}

function bindingsPage(): string {
  const sections = BINDINGS.map(({ title, module, proven, support }) => {
    const rows = bindingRows(support).map(([answer, { how, note }]) => [code(answer), how, note]);
    return `## ${title}\n\nImport ${code(module)}; proven on ${proven}.\n\n${grid(["event, or event: answer", "", "how"], rows)}`;
  });
  return page(
    "Bindings",
    "What becomes of each event in each agent SDK. How to use them: [embedding](../guide/embedding.md).",
    [
      "- **enforced**: as the hook said.",
      "- **stricter**: something stronger happens instead.",
      "- **wrapped**: by a function of the binding that your program calls.",
      "- **never**: the SDK has no such moment, or does not tell of it.",
    ].join("\n"),
    ...sections,
  );
}
