import type { JsonObject } from "../../core/json.ts";
import type { Host } from "../host.ts";
import { codec } from "./codec.ts";
import { support } from "./support.ts";
import { tools } from "./tools.ts";
import { failedInTranscript } from "./transcript.ts";

export const codex = {
  id: "codex",
  title: "Codex CLI",
  provenVersion: "0.166.0",
  codec,
  support,
  tools,
  probes: {
    shell: (command) => ({ tool: "Bash", input: { command } }),
    write: (path, content) => patch(`*** Add File: ${path}\n${added(content)}`),
    edit: (path, before, after) => patch(`*** Update File: ${path}\n@@\n${removed(before)}\n${added(after)}`),
    // Files are read by shell commands; images alone have a tool.
    read: (path) => ({ tool: "view_image", input: { path } }),
  },
  // Its payloads say where a command runs; hooks themselves are started where the session is.
  projectDir: (env) => env.PWD,
  markers: ["CODEX_SANDBOX", "CODEX_SESSION_ID", "CODEX_THREAD_ID", "CODEX_TOOL_CALL_ID", "CODEX_CI"],
  settingsGlobs: [".codex/**", "~/.codex/config.toml", "~/.codex/hooks.json"],
  owns: ({ transcript_path: transcript, turn_id: turn, model, prompt_id: prompt }: JsonObject) =>
    typeof transcript === "string"
      ? /[\\/]rollout-[^\\/]*\.jsonl$/.test(transcript)
      : typeof turn === "string" && typeof model === "string" && prompt === undefined,
  failedInTranscript,
  // About 2,500 tokens stay whole; of more, head and tail are kept and the rest goes into a file.
  maxContextCharacters: 8_500,
} as const satisfies Host;

const patch = (body: string) => ({
  tool: "apply_patch",
  input: { command: `*** Begin Patch\n${body}\n*** End Patch` },
});

const added = (text: string) => marked(text, "+");
const removed = (text: string) => marked(text, "-");
const marked = (text: string, mark: string) =>
  text
    .split("\n")
    .map((line) => `${mark}${line}`)
    .join("\n");
