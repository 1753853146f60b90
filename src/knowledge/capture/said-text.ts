/** What was said as it may be kept: without what is private, without secrets, without what a host or a program put in. */
import { createHash } from "node:crypto";
import { redact } from "../../core/redact.ts";
import { CONTEXT_RULES, TOKEN_RULES } from "../../core/redaction-rules.ts";
import { INSERT_RULES, withoutInserts } from "./inserts.ts";

export interface KeepRules {
  readonly secrets: "redact" | "keep";
}

export function keptText(text: string, { secrets }: KeepRules): string {
  // Codes first: one in the middle of a tag would hide the tag.
  const spoken = withoutInserts(withoutPrivate(withoutTerminalCodes(text))).trim();
  return secrets === "redact" ? redact(spoken) : spoken;
}

/** What a text was kept by: after a change of rules nothing is taken over that was kept by others. */
export const rulesDigest = ({ secrets }: KeepRules): string =>
  createHash("sha256")
    .update(JSON.stringify([secrets, RULES.map(({ source, flags }) => [source, flags])]))
    .digest("hex");

const PRIVATE_TEXT = "[private]";
const PRIVATE_SPAN = /<((?:holdfast-|kk-)?private)>[\s\S]*?(?:<\/\1>|$)/gi;

/** What is not closed is private to its end. */
export const withoutPrivate = (text: string): string => text.replace(PRIVATE_SPAN, PRIVATE_TEXT);

/** CSI, OSC and the other escape sequences, then whatever control characters are left but line ends and tabs. */
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /\u001b\[[0-?]*[ -/]*[@-~]|\u009b[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]?/g;
/** The last group turns the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
const ANY_CONTROL = new RegExp(`${CONTROLS.source}`);

export function withoutTerminalCodes(text: string): string {
  if (!ANY_CONTROL.test(text)) return text;
  return text.replace(SEQUENCES, "").replace(/\r\n?/g, "\n").replace(CONTROLS, "");
}

const RULES: readonly RegExp[] = [
  ...[...TOKEN_RULES, ...CONTEXT_RULES].map(({ pattern }) => pattern),
  ...[PRIVATE_SPAN, SEQUENCES, CONTROLS, ...INSERT_RULES],
];
