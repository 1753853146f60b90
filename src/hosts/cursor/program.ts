import { join } from "node:path";
import type { HostProgram } from "../program.ts";
import { droppedBecause } from "./hooks-file.ts";
import { directoryOf } from "./install.ts";

export const program: HostProgram = {
  commands: ["cursor-agent", "cursor"],
  signs: { project: [".cursor", ".cursorrules"], home: [".cursor"] },
  transcript: {
    where: "~/.cursor/projects/<directory with - for />/agent-transcripts/<session>.jsonl",
    format: "jsonl",
    shape: "one message a line, with role and content; by reports, never seen here",
  },
  headless: (prompt) => ["-p", prompt, "--output-format", "json"],
  otherHooks: "the hooks of all files run at once; a denial wins, and of other fields the last answer",
  trust(target) {
    const path = join(directoryOf(target), "hooks.json");
    const text = target.readFile(path);
    const why = text === undefined ? undefined : droppedBecause(text);
    if (why === undefined) return { state: "trusted" };
    return { state: "untrusted", why: `${path} ${why}: Cursor then heeds nothing in it`, fix: `correct ${path}` };
  },
};
