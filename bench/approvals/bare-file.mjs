// The file of the bare watch: whoever rings adds a line, whoever hears it reads what was added. No more than it takes to
// know who was rung.
import { openSync, readSync } from "node:fs";
import { join } from "node:path";

export const BARE_FILE = "rung";

export class BareFile {
  #opened;
  #offset = 0;
  #buffer = Buffer.alloc(4_096);

  constructor(directory) {
    this.#opened = openSync(join(directory, BARE_FILE), "a+");
  }

  /** The lines since the last call. */
  added() {
    const bytes = readSync(this.#opened, this.#buffer, 0, this.#buffer.length, this.#offset);
    this.#offset += bytes;
    return this.#buffer.toString("latin1", 0, bytes).split("\n").filter(Boolean);
  }
}
