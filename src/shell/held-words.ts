/** Words that are put into words are more than either: `xargs -I`, `parallel`, `find` with many places. */
import type { Unwrapped } from "./unwrapped.ts";

/** By programs that one command of the line starts. */
const MAX_OF_COMMAND = 500_000;
const MAX_OF_LINE = 1_000_000;
const CHARACTERS_OF_WORD = 2;

/** One command that uses up its words leaves those behind it theirs. */
export class HeldWords {
  #ofCommand = 0;
  #ofLine = 0;

  nextCommand(): void {
    this.#ofCommand = 0;
  }

  /** Whether it is still looked at. */
  takes(inner: Unwrapped): boolean {
    if (!this.#hasRoom()) return false;
    const size = "words" in inner ? inner.words.length : inner.script.length / CHARACTERS_OF_WORD;
    this.#ofCommand += size;
    this.#ofLine += size;
    return this.#hasRoom();
  }

  #hasRoom = () => this.#ofCommand <= MAX_OF_COMMAND && this.#ofLine <= MAX_OF_LINE;
}
