/** One thing `doctor` looked at, and what came of it. */

export const GRADES = ["good", "note", "warning", "error"] as const;
export type Grade = (typeof GRADES)[number];

export interface Finding {
  readonly check: string;
  readonly grade: Grade;
  readonly text: string;
  /** The command, or the step in the host, that mends it. */
  readonly fix?: string;
}

export const good = (check: string, text: string): Finding => ({ check, grade: "good", text });
export const note = (check: string, text: string, fix?: string): Finding => found("note", check, text, fix);
export const warning = (check: string, text: string, fix?: string): Finding => found("warning", check, text, fix);
export const failure = (check: string, text: string, fix?: string): Finding => found("error", check, text, fix);

const found = (grade: Grade, check: string, text: string, fix?: string): Finding => ({
  check,
  grade,
  text,
  ...(fix === undefined ? {} : { fix }),
});
