/** A hook of a module, as the runner asks it, and what it said. */
import type { Effect } from "../core/effect.ts";
import type { EventName } from "../core/event.ts";
import { HookFailure } from "../core/failure.ts";
import type { HookTold } from "../core/hook.ts";
import type { JsonObject } from "../core/json.ts";
import { NO_OPINION, type Verdict } from "../core/verdict.ts";
import type { Pins } from "./module-pins.ts";
import type { HookAnswer } from "./module-protocol.ts";
import type { RunnersSheet } from "./module-sheet.ts";

export interface AskerPlace {
  readonly file: string;
  readonly exportIndex: number;
  /** null: any file may be loaded. */
  readonly pins: Pins | null;
  readonly options: JsonObject;
  readonly timeoutMs: number;
}

let lastNumber = 0;

export class Asker implements AskerPlace {
  readonly file: string;
  readonly exportIndex: number;
  readonly pins: Pins | null;
  readonly options: JsonObject;
  readonly timeoutMs: number;
  /** It will be asked again and again: workers are told once what it is, and know it by its number. */
  readonly stays: boolean;
  readonly number = ++lastNumber;
  /** One of ours answers in its place, see module-understudy. */
  readonly isUnderstudy: boolean;
  /** How long it took the last time, in the worker. NaN: nobody knows; a field that is always a number is quick to set. */
  lastMs = Number.NaN;

  constructor({ file, exportIndex, pins, options, timeoutMs }: AskerPlace, stays: boolean, isUnderstudy = false) {
    this.file = file;
    this.exportIndex = exportIndex;
    this.pins = pins;
    this.options = options;
    this.timeoutMs = timeoutMs;
    this.stays = stays;
    this.isUnderstudy = isUnderstudy;
  }

  understudy(): Asker {
    return new Asker(this, true, true);
  }
}

/** Those who answered on the sheet, which are the first. */
export function toldOnSheet(askers: readonly Asker[], sheet: RunnersSheet, most = askers.length): HookTold[] {
  const told: HookTold[] = [];
  const count = Math.min(askers.length, most, sheet.answered());
  for (let index = 0, at = 0; index < count; index++) {
    const length = sheet.lengthOf(index);
    const ms = sheet.msOf(index);
    (askers[index] as Asker).lastMs = ms;
    told.push(
      length === 0 ? { verdict: NO_OPINION, ms } : toldOf(JSON.parse(sheet.text(at, length)) as HookAnswer, ms),
    );
    at += length;
  }
  return told;
}

const toldOf = (answer: HookAnswer, ms: number): HookTold =>
  "verdict" in answer ? { verdict: answer.verdict, ms } : { failure: new HookFailure(answer.code, answer.message), ms };

/** A person should see what a hook printed; the host must not. */
export function toldWithPrinted(answer: HookAnswer, ms: number, printed: string, event: EventName): HookTold {
  if (!("verdict" in answer)) return toldOf({ ...answer, message: withText(answer.message, printed) }, ms);
  return { verdict: withNotice(answer.verdict, answer.hook, event, printed.trim()), ms };
}

export const withText = (message: string, printed: string) =>
  printed.trim() === "" ? message : `${message}\n  it printed: ${printed.trim()}`;

function withNotice(verdict: Verdict, hook: string, event: EventName, printed: string): Verdict {
  if (printed === "") return verdict;
  const message = `hook ${hook} printed: ${printed}`;
  const notice: Effect = {
    type: "notice",
    notice: { event_name: event, message, is_error: false, code: "printed", hook },
  };
  return { ...verdict, effects: [...(verdict.effects ?? []), notice] };
}
