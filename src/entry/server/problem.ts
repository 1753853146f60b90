/** What the server answers when it does not do what was asked: a status, a code of the error table, and what to do. */
import { ERRORS, type ErrorCode } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";

export type ProblemStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 421 | 429 | 500 | 502 | 503;

export interface ProblemExtras {
  /** What to do, more exact than the table's. */
  readonly fix?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Beside `error` in the body: what a program needs to go on. */
  readonly body?: JsonObject;
}

export class Problem extends Error {
  override readonly name = "Problem";
  readonly status: ProblemStatus;
  readonly code: ErrorCode;
  readonly extras: ProblemExtras;

  constructor(status: ProblemStatus, code: ErrorCode, message: string, extras: ProblemExtras = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.extras = extras;
  }

  get fix(): string {
    return this.extras.fix ?? ERRORS[this.code].fix;
  }

  get body(): JsonObject {
    return { error: { code: this.code, message: this.message, fix: this.fix }, ...this.extras.body };
  }
}

export const unknown = (what: string) => new Problem(404, "HF913", `there is no ${what} here`);
export const forbidden = (why: string, body: JsonObject = {}) => new Problem(403, "HF912", why, { body });
export const unusable = (why: string, fix?: string) => new Problem(400, "HF914", why, fix === undefined ? {} : { fix });
