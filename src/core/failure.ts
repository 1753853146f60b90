/** The ways in which a hook can misbehave. Each takes the hook's `on_error` path and leaves a notice. */
export type FailureCode =
  | "crash"
  | "timeout"
  | "exit"
  | "signal"
  | "missing"
  | "invalid-answer"
  | "invalid-rewrite"
  | "output-limit"
  | "untrusted"
  | "not-loaded";

export class HookFailure extends Error {
  override readonly name = "HookFailure";
  readonly code: FailureCode;

  constructor(code: FailureCode, message: string) {
    super(message);
    this.code = code;
  }
}

export function asHookFailure(error: unknown): HookFailure {
  // By its name: what is loaded later than the bundle of the hook command has a class of its own.
  if (error instanceof Error && error.name === "HookFailure" && "code" in error) return error as HookFailure;
  return new HookFailure("crash", error instanceof Error ? `${error.name}: ${error.message}` : String(error));
}
