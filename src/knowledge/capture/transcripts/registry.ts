/** The only list of transcripts that can be read, by the host's id. */
import type { TranscriptFormat } from "../transcript.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { cursor } from "./cursor.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";

export const TRANSCRIPTS: Readonly<Record<string, TranscriptFormat>> = {
  "claude-code": claudeCode,
  codex,
  copilot,
  cursor,
  gemini,
  opencode,
};
