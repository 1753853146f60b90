/** A message that did not get through: whether it is worth trying again, and what a person can do. */
import { HoldfastError } from "../core/errors.ts";

export class ChannelFailure extends HoldfastError {
  /** Trying again later may help. */
  readonly isPassing: boolean;

  constructor(code: "HF934" | "HF935", message: string, isPassing: boolean, hint?: string) {
    super(code, message, hint === undefined ? {} : { hint });
    this.isPassing = isPassing;
  }
}

/** In one line, for a person: what happened and the next step. */
export function problemInWords(error: unknown): string {
  if (error instanceof HoldfastError) return `${error.message}. ${error.fix}`;
  return error instanceof Error ? error.message : String(error);
}

/** What an error code of a platform means for us. */
export interface KnownProblem {
  readonly isPassing?: boolean;
  readonly hint: string;
}
