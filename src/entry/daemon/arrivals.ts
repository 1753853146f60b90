/**
 * Calls that came in together are judged together: what is looked up anew for every call is then looked up once for all of
 * them, and what they record is one write. A call that is alone waits for nobody.
 */

/** A name for calls that had all come in before anything was looked at for the first of them. */
export type Moment = object;

/** Nobody waits for more than these to be judged along with them. */
const MOST_CALLS = 16;
const MOST_BYTES = 64 * 1024;
/** Clients that come and go without a word would otherwise hold up everybody for as long as they do. */
const MOST_TURNS = 32;

export class Arrivals {
  #waiting: ((moment: Moment) => void)[] = [];
  #bytes = 0;
  /** Clients that are connected, and whose request is not there yet: it will be in a turn or two of the event loop. */
  #coming = 0;
  #hasMoved = false;
  #turns = 0;

  connected(): void {
    this.#coming += 1;
    this.#hasMoved = true;
  }

  /** Its request is there, or will never be. */
  arrived(): void {
    this.#coming -= 1;
    this.#hasMoved = true;
  }

  /** Resolves when the call is to be judged; what is looked at must be looked at after that. */
  join(bytes: number): Promise<Moment> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#bytes += bytes;
      if (this.#waiting.length === 1) setImmediate(this.#look);
    });
  }

  readonly #look = (): void => {
    const isRoom = this.#waiting.length < MOST_CALLS && this.#bytes < MOST_BYTES && this.#turns < MOST_TURNS;
    // A client that connects and says nothing holds nobody up.
    if (isRoom && this.#coming > 0 && this.#hasMoved) {
      this.#hasMoved = false;
      this.#turns += 1;
      setImmediate(this.#look);
      return;
    }
    const together = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    this.#turns = 0;
    const moment = {};
    for (const begin of together) begin(moment);
  };
}
