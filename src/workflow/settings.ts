/** How the workflow is to be run: `.holdfast/workflow.toml`, every key optional. */
import type { TomlTable } from "smol-toml";
import { Problem } from "./problem.ts";
import {
  flag,
  integer,
  isTable,
  listOf,
  oneOf,
  parseToml,
  readSections,
  renderToml,
  type SectionValues,
  text,
  toJson,
  withSections,
} from "./toml-fields.ts";
import { insertMissing } from "./toml-insert.ts";

const TEST_PATTERNS = [
  "test",
  "pytest",
  "cargo test",
  "npm test",
  "npx test",
  "go test",
  "mvn test",
  "gradle test",
  "gradlew test",
  "jest",
  "vitest",
  "mocha",
  "junit",
  "ruff",
  "lint",
  "eslint",
  "golangci-lint",
  "checkstyle",
  "clippy",
];

const SECTIONS = {
  general: { default_model: text("claude-sonnet-4") },
  execution: { max_wave_parallelism: integer(4, 1) },
  git: { auto_commit: flag(true), branching_strategy: oneOf(["none", "feature"], "none") },
  features: {
    research: flag(true),
    plan_checker: flag(true),
    verifier: flag(true),
    design_review: flag(true),
    code_review: flag(true),
  },
  hooks: { test_patterns: listOf(text(), TEST_PATTERNS) },
};

export type Settings = SectionValues<typeof SECTIONS>;

export interface SettingsDocument {
  readonly settings: Settings;
  /** Keys that are in the file and mean nothing, as `section.key`. */
  readonly unknownKeys: readonly string[];
}

export function readSettings(source: string | undefined): SettingsDocument | Problem {
  const table = parseToml(source ?? "");
  if (typeof table === "string") return invalid(table);
  const faults: string[] = [];
  const settings = readSections(SECTIONS, table, (fault) => faults.push(fault));
  return faults.length > 0 ? invalid(faults.join("; ")) : { settings, unknownKeys: unknownKeys(table) };
}

const invalid = (fault: string) =>
  new Problem("INVALID_CONFIG", `.holdfast/workflow.toml cannot be used: ${fault}. Ask the person to repair the file.`);

function unknownKeys(table: TomlTable): string[] {
  const known: Readonly<Record<string, object>> = SECTIONS;
  return Object.entries(table).flatMap(([name, section]) => {
    const fields = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!fields || !isTable(section)) return [name];
    return Object.keys(section)
      .filter((key) => !Object.hasOwn(fields, key))
      .map((key) => `${name}.${key}`);
  });
}

const HEADER = "# How the workflow is run; holdfast mcp (config_get) tells agents. Every key may be left out.\n";

/** The same text with what is missing filled in. Comments and unknown keys stay. */
export function completeSettings(source: string | undefined): string | Problem {
  const read = readSettings(source);
  if (read instanceof Problem) return read;
  const before = source ?? HEADER;
  const table = parseToml(before) as TomlTable;
  const wanted = withSections(table, read.settings);
  const inserted = insertMissing(before, table, wanted);
  if (inserted !== undefined && sameTable(parseToml(inserted), wanted)) return inserted;
  return (
    renderToml(wanted) ?? new Problem("SERIALIZE_ERROR", "The settings cannot be written as TOML; nothing was changed.")
  );
}

const sameTable = (left: TomlTable | string, right: TomlTable) =>
  typeof left !== "string" && JSON.stringify(sorted(left)) === JSON.stringify(sorted(right));

function sorted(table: TomlTable): unknown {
  const order = (value: unknown): unknown =>
    isTable(value)
      ? Object.keys(value)
          .sort()
          .map((key) => [key, order(value[key])])
      : value;
  return order(toJson(table));
}
