/** Whatever makes a directory a project makes every scratch project below it a part of that project. */
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MARKS = [
  ...[".holdfast", "holdfast.yaml", "holdfast.yml", "holdfast.toml", "holdfast.json", ".git"],
  ...[".claude", "CLAUDE.md", ".codex", ".opencode", "opencode.json", "opencode.jsonc", ".pi", ".gemini", ".qwen"],
  ...[".factory", ".github", ".clinerules"],
];

export function requireClean(directory: string): void {
  const stray = MARKS.filter((name) => existsSync(join(directory, name)));
  if (stray.length === 0) return;
  throw new Error(
    `${directory} holds ${stray.join(", ")}: the scratch projects of all tests lie below it and would belong to it. ` +
      "Move that away, or set TMPDIR to an empty directory.",
  );
}

export default () => requireClean(tmpdir());
