/** A plan: `.holdfast/phases/<phase>/plans/NNN[-name].md`, Markdown after TOML front matter between two `+++` lines. */
import { flag, integer, listOf, oneOf, parseToml, readFields, text } from "./toml-fields.ts";

export interface PlanEntry {
  readonly file: string;
  readonly plan: number;
  readonly wave: number;
  readonly title: string;
  readonly type: "execute" | "tdd";
  readonly depends_on: readonly number[];
  readonly requirements: readonly string[];
  readonly complete: boolean;
  /** Why fields have their defaults although the file gives something. */
  readonly problem?: string;
}

export interface PlanNames {
  readonly plans: readonly string[];
  /** Markdown files that are neither a plan nor something written about one. */
  readonly ignored: readonly string[];
}

const PLAN = /^\d+(?:-[\w-]+)?\.md$/;
/** What is written about a plan: summaries, reviews, anything per task. */
const ABOUT_A_PLAN = /^(\d+(?:-[\w-]+?)?)-(?:task-\d+(?:-[\w-]+)?|(?:[\w-]+-)?(?:summary|review))\.md$/;

export function planNames(files: readonly string[]): PlanNames {
  const plans = files.filter((file) => PLAN.test(file) && !ABOUT_A_PLAN.test(file));
  const stems = plans.map(stemOf);
  const isAbout = (file: string) => ABOUT_A_PLAN.test(file) && stems.some((stem) => file.startsWith(`${stem}-`));
  const ignored = files.filter((file) => file.endsWith(".md") && !plans.includes(file) && !isAbout(file));
  return { plans, ignored: ignored.sort() };
}

export const stemOf = (file: string) => file.replace(/\.md$/, "");
export const summaryOf = (file: string) => `${stemOf(file)}-summary.md`;

// A plan that depends on none runs in the first wave.
const FIRST_WAVE = 1;

const FIELDS = {
  phase: text(),
  plan: integer(0),
  wave: integer(FIRST_WAVE),
  title: text(),
  depends_on: listOf(integer(0)),
  type: oneOf(["execute", "tdd"], "execute"),
  autonomous: flag(true),
  requirements: listOf(text()),
  files_modified: listOf(text()),
};

export function readPlan(file: string, content: string, complete: boolean): PlanEntry {
  const faults: string[] = [];
  const table = parseToml(frontMatter(content) ?? "");
  if (typeof table === "string") faults.push(`front matter, ${table}`);
  const known = { ...FIELDS, plan: integer(Number.parseInt(file, 10)) };
  const values = readFields(known, table, (key, expected) => faults.push(`${key} must be ${expected}`));
  const { plan, wave, title, type, depends_on, requirements } = values;
  return {
    file,
    plan,
    wave,
    title,
    type,
    depends_on,
    requirements,
    complete,
    ...(faults.length > 0 ? { problem: faults.join("; ") } : {}),
  };
}

function frontMatter(content: string): string | undefined {
  return /^\uFEFF?\s*\+\+\+[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)\+\+\+[ \t]*(?:\r?\n|$)/.exec(content)?.[1];
}

export function inOrder(left: PlanEntry, right: PlanEntry): number {
  return left.wave - right.wave || left.plan - right.plan || (left.file < right.file ? -1 : 1);
}
