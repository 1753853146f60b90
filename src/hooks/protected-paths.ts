/** Files that an agent's file tools may not write or read: Holdfast's own, and what the config lists. */
import { hasTool } from "../core/event.ts";
import { list, type ShapeOf, text } from "../core/fields.ts";
import type { ToolKind } from "../core/tool.ts";
import { NO_OPINION, type Verdict } from "../core/verdict.ts";
import type { BuiltinHook } from "./builtin.ts";
import { globMatches } from "./path-glob.ts";

const OPTIONS = {
  write: list(text(), "globs of files that may not be written"),
  read: list(text(), "globs of files that may not be read or written"),
};

export const protectedPaths: BuiltinHook = {
  name: "protected-paths",
  doc: "keeps file tools away from Holdfast's own files and from the paths listed",
  on: ["pre_tool_use"],
  guards: true,
  onError: "block",
  priority: 0,
  options: OPTIONS,
  defaults: { write: [], read: [] },
  judge(event, { options }, machine) {
    if (!hasTool(event) || event.tool.paths.length === 0) return NO_OPINION;
    const { write, read } = options as unknown as ShapeOf<typeof OPTIONS>;
    const { kind } = event.tool;
    for (const written of event.tool.paths) {
      const path = machine.realPath(written, event.cwd);
      const own = machine.ownPaths.find((owned) => path === owned || path.startsWith(`${owned}/`));
      if (own && WRITES.includes(kind))
        return blocked("own-files", `${written} belongs to Holdfast and is not yours to change`, OWN_INSTEAD);
      const listed = (globs: readonly string[]) => globs.find((glob) => globMatches(glob, path, machine.rootDir));
      if (WRITES.includes(kind) && listed(write))
        return blocked("write", `${written} is protected by "${listed(write)}"`, LISTED_INSTEAD);
      if (READS.includes(kind) && listed(read))
        return blocked("read", `${written} is protected by "${listed(read)}"`, LISTED_INSTEAD);
    }
    return NO_OPINION;
  },
};

const WRITES: readonly ToolKind[] = ["write", "edit"];
const READS: readonly ToolKind[] = ["read", "search", ...WRITES];

const OWN_INSTEAD = "Tell the person what should change and why; they edit it themselves.";
const LISTED_INSTEAD = "Leave it as it is, go on with other files, or ask the person to make this change.";

const blocked = (rule: string, what: string, instead: string): Verdict => ({
  opinion: { kind: "block", rule: `protected-paths/${rule}`, reason: `${what}.\nDo instead: ${instead}` },
});
