/** Where the knowledge of a project lies. Team files are committed; `_sessions`, `_logs` and `.state` are a person's own. */
import { join } from "node:path";

export interface KnowledgePlaces {
  readonly root: string;
  readonly dir: string;
  readonly nodesDir: string;
  readonly redirectsFile: string;
  readonly entryFile: string;
  readonly graphFile: string;
  readonly summariesFile: string;
  readonly conflictsDir: string;
  readonly ignoreFile: string;
  readonly sessionsDir: string;
  readonly logsDir: string;
  readonly stateDir: string;
  /** Whoever changes nodes or what is generated from them holds it. */
  readonly baseLock: string;
}

export const KNOWLEDGE_FOLDER = ".holdfast/knowledge";

/** `root` is the project's root, as the plan has it. */
export function knowledgePlaces(root: string): KnowledgePlaces {
  const dir = join(root, ".holdfast", "knowledge");
  const nodesDir = join(dir, "nodes");
  const stateDir = join(dir, ".state");
  return {
    root,
    dir,
    nodesDir,
    redirectsFile: join(nodesDir, ".redirects.json"),
    entryFile: join(dir, "ENTRY.md"),
    graphFile: join(dir, "GRAPH.md"),
    summariesFile: join(dir, "FOLDER_SUMMARIES.md"),
    conflictsDir: join(dir, "conflicts"),
    ignoreFile: join(dir, ".gitignore"),
    sessionsDir: join(dir, "_sessions"),
    logsDir: join(dir, "_logs"),
    stateDir,
    baseLock: join(stateDir, "base.lock"),
  };
}
