/** The machine as built-in hooks see it. */
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { FORMATS, type Places } from "../../config/places.ts";
import type { Plan } from "../../config/plan.ts";
import type { Machine } from "../../hooks/builtin.ts";
import { historyOf } from "./history.ts";
import { journalOf } from "./journals.ts";

export function machineOf(plan: Plan, places: Places): Machine {
  const candidates = FORMATS.flatMap((format) => [`holdfast.${format}`, `holdfast.local.${format}`]);
  const project = [...candidates, ".holdfast/hooks", ".holdfast/tests", ".holdfast/tracking"].map((name) =>
    join(plan.root, name),
  );
  const registrations = [".claude/settings.json", ".claude/settings.local.json", ".kiro/hooks", ".kiro/agents"];
  const written = plan.files.map(({ path }) => path);
  const ownPaths = [
    ...project,
    ...registrations.map((name) => join(plan.root, name)),
    ...registrations.map((name) => join(places.homeDir, name)),
    ...written,
    places.userDir,
    places.stateDir,
    ...places.managedDirs,
  ].map((path) => realPath(path, plan.root));
  return {
    homeDir: places.homeDir,
    rootDir: realPath(plan.root, "/"),
    ownPaths: [...new Set(ownPaths)],
    realPath: (path, cwd) => realPath(expandHome(path, places.homeDir), cwd),
    historyOf: (event) => historyOf(event, journalOf("ledger", plan, places), journalOf("audit", plan, places)),
  };
}

const expandHome = (path: string, homeDir: string) =>
  path === "~" || path.startsWith("~/") ? join(homeDir, path.slice(1)) : path;

/** Symlinks are resolved as far as the path exists; what does not exist yet keeps its name. */
function realPath(path: string, cwd: string): string {
  const absolute = resolve(cwd || "/", path);
  if (existsSync(absolute)) return realpathSync.native(absolute);
  const parent = dirname(absolute);
  return parent === absolute ? absolute : join(realPath(parent, "/"), basename(absolute));
}
