/** A text in the editor a person has set, as git does it. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../../config/places.ts";
import { HoldfastError } from "../../core/errors.ts";

export function editText(text: string, name: string, env: Environment): string {
  const editor = env.VISUAL || env.EDITOR || "vi";
  const dir = mkdtempSync(join(tmpdir(), "holdfast-edit-"));
  const file = join(dir, name);
  try {
    writeFileSync(file, text, { mode: 0o600 });
    // Through a shell, because people write `code --wait`; the file is an argument and never part of the line.
    const { status, error } = spawnSync("sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit", env });
    if (error || status !== 0)
      throw new HoldfastError("HF701", `the editor ${editor} ${error ? error.message : `ended with ${status}`}`, {
        hint: "set EDITOR to an editor that waits until you are done",
      });
    return readFileSync(file, "utf8");
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
