/** What built-in hooks of runs ask of the outside, answered by the real things. */
import type { Desk } from "../../approvals/desk.ts";
import { type Environment, placesOf, projectRoot } from "../../config/places.ts";
import type { LedgerEntry } from "../../core/effect.ts";
import { coveringGlobs } from "../../core/written-glob.ts";
import { journalOf } from "../../engine/journals.ts";
import { expandHome, IGNORES_CASE } from "../../engine/machine.ts";
import { forgetRealPaths, realPath } from "../../engine/real-path.ts";
import { coveredBy } from "../../hooks/covered-paths.ts";
import { DEFAULT_TEST_PATTERNS, isTestRun } from "../../hooks/test-run.ts";
import { recordsNewestFirst } from "../../records/newest-first.ts";
import type { Modules, RunMachine } from "../../runs/hooks/engine.ts";
import type { RunStore } from "../../runs/store.ts";
import { analyseCommand } from "../../shell/analyse.ts";
import { askPeople } from "./ask-people.ts";

export interface MachineSetting {
  readonly env: Environment;
  readonly modules: Modules;
  readonly store: RunStore;
  /** Where people are asked. */
  desk(cwd: string): Promise<Desk>;
}

/** Evidence further back than this counts as missing: a hook then asks for it again. */
const MAX_LINES = 20_000;

export function createRunMachine({ env, modules, store, desk }: MachineSetting): RunMachine {
  const places = placesOf(env);
  const homeDir = realPath(places.homeDir, "/");
  return {
    env,
    modules,
    async childrenOf(run) {
      const found = await store.list({ parentRun: run, includeArchived: true });
      const children = found.filter(({ problem }) => problem === undefined);
      return {
        children: children.map(({ id, status, name }) => ({ id, status, name })),
        // Whose child it is nobody can say, so it may be one.
        unreadable: found.flatMap(({ id, problem }) => (problem === undefined ? [] : [id])),
      };
    },
    *ledgerOf({ id, cwd }) {
      // Links may have changed since somebody asked last.
      forgetRealPaths();
      const journal = journalOf("ledger", { root: projectRoot({ cwd }, places) }, places);
      const marks = [`"run":${JSON.stringify(id)}`];
      for (const record of recordsNewestFirst(journal, { maxLines: MAX_LINES, marks })) {
        if (record.run === id) yield record as unknown as LedgerEntry;
      }
    },
    isTestRun: (command, patterns) => isTestRun(command, patterns ?? DEFAULT_TEST_PATTERNS),
    writesOf: (command, cwd) => writtenBy(command, cwd, places.homeDir),
    realPath: (path, cwd) => realPath(expandHome(path, homeDir), cwd),
    isUnder: (path, globs, cwd) => isUnder(path, globs, { rootDir: realPath(cwd, "/"), homeDir }),
    approve: async (question, signal) => askPeople(question, await desk(question.cwd), { cwd: question.cwd, signal }),
  };
}

/** The globs of a project's rules, but for a name: elsewhere than below the run's directory it allows nothing. */
function isUnder(path: string, globs: readonly string[], ground: { rootDir: string; homeDir: string }): boolean {
  const own = globs
    .map(coveringGlobs)
    .flatMap(({ names, paths }) => [...names.map((name) => `./**/${name}`), ...paths]);
  return coveredBy(own, { ...ground, ignoresCase: IGNORES_CASE })(path);
}

function writtenBy(command: string, cwd: string, homeDir: string): string[] {
  const { effects } = analyseCommand(command, { cwd, homeDir, realPath: (path) => realPath(path, "/") });
  return effects.flatMap(({ effect }) => {
    const paths =
      effect.type === "overwrite" || effect.type === "delete"
        ? [effect.path]
        : effect.type === "move"
          ? [effect.from, effect.to]
          : [];
    return paths.flatMap(({ path }) => (path === undefined ? [] : [path]));
  });
}
