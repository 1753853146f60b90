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
