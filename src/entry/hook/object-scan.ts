/** Finds where a JSON object ends, byte by byte and only once. UTF-8 never hides a quote or a brace in another character. */
export class ObjectScan {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #started = false;

  /** `end`: how many bytes of the chunk belong to the object, or may. */
  feed(chunk: Uint8Array): { readonly state: "open" | "complete" | "not-an-object"; readonly end: number } {
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index] as number;
      if (this.#escaped) this.#escaped = false;
      else if (this.#inString) {
        if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inString = false;
      } else if (byte === QUOTE && this.#started) this.#inString = true;
      else if (byte === OPEN_BRACE) {
        this.#started = true;
        this.#depth += 1;
      } else if (byte === CLOSE_BRACE && this.#started) {
        this.#depth -= 1;
        if (this.#depth === 0) return { state: "complete", end: index + 1 };
      } else if (!this.#started && !BEFORE_OBJECT.includes(byte)) return { state: "not-an-object", end: chunk.length };
    }
    return { state: "open", end: chunk.length };
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** White space and the byte order mark. */
const BEFORE_OBJECT: readonly number[] = [0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf];
