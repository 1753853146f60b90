/** pi: one extension file of our own that loads us, and the person's trust in the project, without which it is not loaded. */
import { join } from "node:path";
import { BLOCK_PREFIX } from "../answer-text.ts";
import { type FileEdit, type Install, type InstallTarget, noSuchLevel } from "../host.ts";
import { ownFileEdit } from "../own-file.ts";
import { agentDir, trustEdit } from "./trust.ts";

export const install: Install = {
  edits(target) {
    if (target.level === "managed") throw noSuchLevel("pi", target.level);
    return [extensionFile(target)];
  },
  // A person's own extensions need no trust.
  consents: (target) => (target.level === "project" || target.level === "local" ? [trustEdit(target)] : []),
};

/** pi looks for extensions in the directory it is started in, and in the person's own. */
function extensionFile(target: InstallTarget): FileEdit {
  const base = target.level === "user" ? agentDir(target) : join(target.projectDir, ".pi");
  const path = join(base, "extensions", "holdfast.js");
  return ownFileEdit({ path, text: extensionText(target.plugin, path), isOurs });
}

const GENERATED = "// Written by holdfast init, removed by holdfast uninstall. Changes made here are lost.";

const isOurs = (text: string) => text.startsWith(GENERATED);

/** Where we cannot be loaded nothing is judged, so nothing runs: pi itself would not even start, and not say why in words of ours. */
const extensionText = (plugin: string, path: string) => `${GENERATED}
import { createRequire } from "node:module";

const plugin = ${JSON.stringify(plugin)};

export default function holdfast(pi) {
  try {
    createRequire(import.meta.url)(plugin).pluginFor("pi")(pi);
  } catch (error) {
    const problem = String(error?.message ?? error).split("\\n")[0];
    const reason =
      \`${BLOCK_PREFIX} its rules could not be loaded (\${problem}), so nothing may run. \` +
      ${JSON.stringify(`A person must run "holdfast init" again where Holdfast is installed, or delete ${path}.`)};
    pi.on("tool_call", async () => ({ block: true, reason }));
    pi.on("input", async (_event, context) => {
      if (context.hasUI) context.ui.notify(reason, "error");
      else process.stderr.write(reason + "\\n");
      return { action: "handled" };
    });
  }
}
`;
