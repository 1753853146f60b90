/** Questions as one worker understands them: it is told once what a hook is, and which files it may load. */
import type { AgentEvent } from "../core/event.ts";
import { Asker } from "./module-asker.ts";
import type { Pins } from "./module-pins.ts";
import type { AskedHook, ModulePlace } from "./module-protocol.ts";
import { MAX_ASKED } from "./module-sheet.ts";
import { ENOUGH_MS } from "./module-turn.ts";

type Place = Pick<Asker, "file" | "pins">;
type Realms = Map<Pins | null, number>;
type Asked = { readonly event: AgentEvent; readonly now: number };

/** Who took longer than this is not slept for, nor asked together with others. */
const QUICK_MS = 0.5;

export class Questions {
  readonly #realms: Realms = new Map();
  readonly #loaded = new Set<string>();
  /** Numbers of hooks that the worker knows. */
  readonly #known = new Set<number>();
  /** Who was asked last. */
  #last: readonly Asker[] = [];

  isLoaded(place: Place): boolean {
    if (place instanceof Asker && this.#known.has(place.number)) return true;
    return this.#loaded.has(this.#keyOf(place));
  }

  loaded(place: Place): void {
    this.#loaded.add(this.#keyOf(place));
  }

  describe(id: number, place: Place): string {
    const realms: Realms = new Map();
    const text = JSON.stringify({ type: "describe", id, ...this.#placeOf(place, realms) });
    this.#handedOver(realms);
    return text;
  }

  /** Throws on an event, or options of a hook, that are not data. */
  judge(id: number, askers: readonly Asker[], { event, now }: Asked): string {
    const data = JSON.stringify(event);
    return `{"type":"judge","id":${id},"now":${now},${this.#asked(askers)}"event":${data}}`;
  }

  /** Mostly the same hooks are asked again: then they are not named. */
  #asked(askers: readonly Asker[]): string {
    if (this.#wereLast(askers)) return "";
    const realms: Realms = new Map();
    const hooks = askers.map((asker) => this.#askedHook(asker, realms));
    const text = `"asked":${JSON.stringify(hooks)},`;
    // Not before the text is there: of a question that cannot be put the worker hears nothing.
    this.#handedOver(realms);
    for (const hook of hooks) if (typeof hook !== "number" && hook.number !== undefined) this.#known.add(hook.number);
    this.#last = askers;
    return text;
  }

  /** Those that can be asked with one question: what is not loaded, and who takes long, is asked alone. */
  inOneTurn(askers: readonly Asker[]): readonly Asker[] {
    const areLoaded = askers.length > 1 && this.#wereLast(askers);
    const joins = (asker: Asker) => !isSlow(asker) && (areLoaded || this.isLoaded(asker));
    let count = 0;
    while (count < askers.length && count < MAX_ASKED && joins(askers[count] as Asker)) count++;
    return count === askers.length ? askers : askers.slice(0, Math.max(1, count));
  }

  /** Several who were asked together are loaded, and the worker knows them. */
  #wereLast(askers: readonly Asker[]): boolean {
    if (askers === this.#last) return true;
    if (askers.length !== this.#last.length) return false;
    for (let index = 0; index < askers.length; index++) if (askers[index] !== this.#last[index]) return false;
    return true;
  }

  #askedHook(asker: Asker, realms: Realms): number | AskedHook {
    const { exportIndex, options, stays, number, isUnderstudy } = asker;
    if (this.#known.has(number)) return number;
    const asked = {
      ...this.#placeOf(asker, realms),
      exportIndex,
      options,
      ...(isUnderstudy ? { isUnderstudy: true as const } : {}),
    };
    if (!stays || !this.isLoaded(asker)) return asked;
    return { ...asked, number };
  }

  /** Pins are handed over once: they may be many. Those that are handed over now are added to `realms`. */
  #placeOf({ file, pins }: Place, realms: Realms): ModulePlace {
    const known = this.#realms.get(pins) ?? realms.get(pins);
    if (known !== undefined) return { file, realm: known };
    const realm = this.#realms.size + realms.size;
    realms.set(pins, realm);
    return { file, realm, pins };
  }

  #handedOver(realms: Realms): void {
    for (const [pins, realm] of realms) this.#realms.set(pins, realm);
  }

  #keyOf({ file, pins }: Place): string {
    return `${this.#realms.get(pins)} ${file}`;
  }
}

/** Of whom nobody knows it is neither. */
const isQuick = ({ lastMs }: Asker) => lastMs <= QUICK_MS;
const isSlow = ({ lastMs }: Asker) => lastMs > QUICK_MS;

/** For the worker to wake up; on a machine that is busy it may take longer, and then nobody sleeps for it. */
const WAKE_MS = 0.3;

/** How long it is worth sleeping until they have answered; 0: one of them may take long. */
export function patienceFor(askers: readonly Asker[]): number {
  let ms = WAKE_MS;
  for (const asker of askers) {
    if (!isQuick(asker)) return 0;
    ms += 2 * asker.lastMs;
  }
  // After that the worker begins with nobody.
  return Math.min(ms, ENOUGH_MS);
}
