/** What went wrong, as data: the same object is what MCP clients and `--json` read. */
export type ProblemCode =
  | "STATE_NOT_FOUND"
  | "INVALID_STATE"
  | "INIT_ERROR"
  | "UNKNOWN_STEP"
  | "INVALID_TRANSITION"
  | "OPEN_BLOCKERS"
  | "BLOCKER_NOT_FOUND"
  | "INVALID_PHASE"
  | "INVALID_INPUT"
  | "NO_PLANS"
  | "INVALID_CONFIG"
  | "IO_ERROR"
  | "SERIALIZE_ERROR";

/** A class only so that it cannot be mistaken for a file's content that happens to have the same keys. */
export class Problem {
  readonly error = true;
  readonly code: ProblemCode;
  /** What is wrong and what to do, in terms of the MCP tools. */
  readonly message: string;

  constructor(code: ProblemCode, message: string) {
    this.code = code;
    this.message = message;
  }
}

export const isProblem = (value: unknown): value is Problem => value instanceof Problem;
