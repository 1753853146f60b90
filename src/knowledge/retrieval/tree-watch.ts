/**
 * What changed in a tree since it was last looked at, told by the system: asking for every file is what makes a large base
 * slow. Only a process that is asked again has use for it.
 */
import { type FSWatcher, statSync, watch } from "node:fs";
import { join } from "node:path";

export interface TreeWatch {
  /** Folders below the root in which something happened since the last call; undefined: nobody knows. */
  taken(): ReadonlySet<string> | undefined;
  /** Folders from the root down, "" for itself. What happens in them from now on is told. */
  cover(folders: readonly string[]): void;
  close(): void;
}

/** One watcher for all where the system has such; Linux has one per folder. */
const WATCHES_TREES = process.platform === "darwin" || process.platform === "win32";

export function watchTree(root: string): TreeWatch {
  const watchers = new Map<string, { readonly watcher: FSWatcher; readonly ino: number }>();
  let changed = new Set<string>();
  let works = true;
  const close = () => {
    works = false;
    for (const { watcher } of watchers.values()) watcher.close();
    watchers.clear();
  };
  const start = (folder: string, ino: number) => {
    const note = (_type: string, name: string | null) => {
      if (!WATCHES_TREES) changed.add(folder);
      else if (name === null) close();
      else changed.add(name.replaceAll("\\", "/").split("/").slice(0, -1).join("/"));
    };
    // It must keep no process alive.
    const watcher = watch(join(root, folder), { persistent: false, recursive: WATCHES_TREES }, note);
    watcher.on("error", close);
    watchers.set(folder, { watcher, ino });
  };
  return {
    taken() {
      if (!works) return undefined;
      const taken = changed;
      changed = new Set();
      return taken;
    },
    cover(folders) {
      if (!works) return;
      try {
        for (const folder of WATCHES_TREES ? [""] : folders) {
          const { ino } = statSync(join(root, folder));
          const known = watchers.get(folder);
          if (known?.ino === ino) continue;
          known?.watcher.close();
          start(folder, ino);
        }
      } catch {
        // Too many, not allowed, or gone meanwhile: then everything is looked at each time, which is slower, not wrong.
        close();
      }
    },
    close,
  };
}
