/** Questions as one worker understands them: it is told once what a hook is, and which files it may load. */
import type { AgentEvent } from "../core/event.ts";
import { Asker } from "./module-asker.ts";
import type { Pins } from "./module-pins.ts";
import type { AskedHook, ModulePlace } from "./module-protocol.ts";
import { MAX_ASKED } from "./module-sheet.ts";
import { ENOUGH_MS } from "./module-turn.ts";

type Place = Pick<Asker, "file" | "pins">;
type Asked = { readonly event: AgentEvent; readonly now: number };

/** Who took longer than this is not slept for, nor asked together with others. */
const QUICK_MS = 0.5;

export class Questions {
  readonly #realms = new Map<Pins | null, number>();
  readonly #loaded = new Set<string>();
  readonly #numbers = new WeakMap<Asker, number>();
  #lastNumber = 0;

  isLoaded(place: Place): boolean {
    if (place instanceof Asker && this.#numbers.has(place)) return true;
    return this.#loaded.has(this.#keyOf(place));
  }

  loaded(place: Place): void {
    this.#loaded.add(this.#keyOf(place));
  }

  describe(id: number, place: Place): string {
    return JSON.stringify({ type: "describe", id, ...this.#placeOf(place) });
  }

  /** Throws on an event that is not data. */
  judge(id: number, askers: readonly Asker[], { event, now }: Asked): string {
    const data = JSON.stringify(event);
    const asked = JSON.stringify(askers.map((asker) => this.#askedHook(asker)));
    return `{"type":"judge","id":${id},"now":${now},"asked":${asked},"event":${data}}`;
  }

  /** Those that can be asked with one question: what is not loaded, and who takes long, is asked alone. */
  inOneTurn(askers: readonly Asker[]): readonly Asker[] {
    let count = 0;
    while (count < askers.length && count < MAX_ASKED && this.#joins(askers[count] as Asker)) count++;
    return count === askers.length ? askers : askers.slice(0, Math.max(1, count));
  }

  #joins(asker: Asker): boolean {
    return isQuick(asker) !== false && this.isLoaded(asker);
  }

  #askedHook(asker: Asker): number | AskedHook {
    const known = this.#numbers.get(asker);
    if (known !== undefined) return known;
    const { exportIndex, options, stays } = asker;
    const asked = { ...this.#placeOf(asker), exportIndex, options };
    if (!stays || !this.isLoaded(asker)) return asked;
    this.#lastNumber += 1;
    this.#numbers.set(asker, this.#lastNumber);
    return { ...asked, number: this.#lastNumber };
  }

  /** Pins are handed over once: they may be many. */
  #placeOf({ file, pins }: Place): ModulePlace {
    const known = this.#realms.get(pins);
    if (known !== undefined) return { file, realm: known };
    const realm = this.#realms.size;
    this.#realms.set(pins, realm);
    return { file, realm, pins };
  }

  #keyOf({ file, pins }: Place): string {
    return `${this.#realms.get(pins)} ${file}`;
  }
}

/** Undefined: nobody knows. */
const isQuick = ({ lastMs }: Asker) => (lastMs === undefined ? undefined : lastMs <= QUICK_MS);

/** For the worker to wake up; on a machine that is busy it may take longer, and then nobody sleeps for it. */
const WAKE_MS = 0.3;

/** How long it is worth sleeping until they have answered; 0: one of them may take long. */
export function patienceFor(askers: readonly Asker[]): number {
  let ms = WAKE_MS;
  for (const asker of askers) {
    if (!isQuick(asker)) return 0;
    ms += 2 * (asker.lastMs ?? 0);
  }
  // After that the worker begins with nobody.
  return Math.min(ms, ENOUGH_MS);
}
