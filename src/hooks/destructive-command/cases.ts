/** The world in which rules' cases are judged. */
import { analyseCommand } from "../../shell/analyse.ts";
import { findingsOf } from "./judge.ts";
import { PACKS } from "./packs.ts";
import type { Case } from "./rule.ts";
import type { World } from "./world.ts";

export const CASE_WORLD: World = {
  cwd: "/home/person/work/project",
  rootDir: "/home/person/work/project",
  homeDir: "/home/person",
  gitIsClean: () => undefined,
  gitBranch: () => undefined,
};

export function judgeCase(item: Case, packs = PACKS, world: World = CASE_WORLD) {
  const { command, cwd } = typeof item === "string" ? { command: item, cwd: world.cwd } : item;
  const { effects } = analyseCommand(command, { cwd, homeDir: world.homeDir, realPath: (path) => path });
  const findings = findingsOf(effects, packs, { ...world, cwd });
  return { decision: findings[0]?.rule.severity ?? "none", rules: findings.map(({ rule }) => rule.id), findings };
}

export interface FailingCase {
  readonly rule: string;
  readonly command: string;
  readonly expected: "stopped" | "left alone";
}

let failing: readonly FailingCase[] | undefined;

/** Every rule against its own cases; a rule that does not do what it says is not a rule. They do not change in a process. */
export function failingCases(): readonly FailingCase[] {
  failing ??= PACKS.flatMap(({ rules }) =>
    rules.flatMap(({ id, stops, passes }): FailingCase[] => [
      ...stops
        .filter((item) => !judgeCase(item).rules.includes(id))
        .map((item) => ({ rule: id, command: textOf(item), expected: "stopped" as const })),
      ...passes
        .filter((item) => judgeCase(item).rules.includes(id))
        .map((item) => ({ rule: id, command: textOf(item), expected: "left alone" as const })),
    ]),
  );
  return failing;
}

const textOf = (item: Case) => (typeof item === "string" ? item : item.command);
