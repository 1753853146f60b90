/** A file that several processes add lines to, and others follow. It is emptied when it is long: followers notice. */
import { randomUUID } from "node:crypto";
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { makeDirectory } from "../../files/make-directory.ts";

/** Keeps the file open: whoever follows it waits for the line, not for the opening. */
export class LineAdder {
  readonly #file: string;
  #opened: number | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  add(line: string): void {
    for (;;) {
      const isFresh = this.#opened === undefined;
      this.#opened ??= openedToAdd(this.#file);
      write(this.#opened, line);
      const { size, ino } = fstatSync(this.#opened);
      if (!isFresh && !isAt(this.#file, ino)) {
        // It was removed or renamed: the line is where nobody looks.
        this.close();
        continue;
      }
      if (size > LONGEST_FILE) {
        ftruncateSync(this.#opened);
        write(this.#opened, randomUUID());
      }
      return;
    }
  }

  close(): void {
    const opened = this.#opened;
    this.#opened = undefined;
    if (opened !== undefined) closeSync(opened);
  }
}

/** Reads what was added since it was made. */
export class LineFollower {
  readonly #file: string;
  readonly #opened: number;
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  /** How the file began: one that was emptied begins otherwise, however long it has become since. */
  readonly #head: string;
  #offset: number;

  constructor(file: string) {
    this.#file = file;
    // Whoever began where nothing was could not tell that the file was emptied.
    const adding = openSync(file, "a", 0o600);
    if (fstatSync(adding).size === 0) write(adding, randomUUID());
    closeSync(adding);
    this.#opened = openSync(file, "r");
    this.#offset = fstatSync(this.#opened).size;
    this.#head = this.#headNow();
  }

  /** Whole lines. Only `hasMissed` says whether they are all, and it may be asked later: whoever waits for a line waits for it. */
  next(): readonly string[] {
    const lines: string[] = [];
    for (;;) {
      const bytes = readSync(this.#opened, this.#buffer, 0, BUFFER_BYTES, this.#offset);
      const isWhole = bytes === 0 || this.#buffer[bytes - 1] === NEWLINE;
      const end = isWhole ? bytes : this.#buffer.lastIndexOf(NEWLINE, bytes - 1) + 1;
      // A line that is not whole yet is read again when it is.
      this.#offset += end;
      for (const line of this.#buffer.toString("utf8", 0, end).split("\n")) if (line !== "") lines.push(line);
      if (bytes < BUFFER_BYTES || end === 0) return lines;
    }
  }

  /** The file was emptied, removed or renamed: there may have been lines that nobody can read any more. */
  hasMissed(): boolean {
    const { size, ino } = fstatSync(this.#opened);
    return !isAt(this.#file, ino) || size < this.#offset || this.#headNow() !== this.#head;
  }

  close(): void {
    closeSync(this.#opened);
  }

  #headNow(): string {
    const head = Buffer.alloc(HEAD_BYTES);
    return head.toString("latin1", 0, readSync(this.#opened, head, 0, HEAD_BYTES, 0));
  }
}

const NEWLINE = 10;
/** As long as the line that an emptied file begins with. */
const HEAD_BYTES = 38;
/** Longer than any line. */
const BUFFER_BYTES = 65_536;
/** Some hundred changes: what is read is read once, and soon. */
const LONGEST_FILE = 1_048_576;

/** What a process that died left unfinished ends where the next line begins. */
const write = (opened: number, line: string) => writeSync(opened, `\n${line}\n`);

const isAt = (file: string, ino: number) => statSync(file, { throwIfNoEntry: false })?.ino === ino;

function openedToAdd(file: string): number {
  try {
    return openSync(file, "a", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    makeDirectory(dirname(file), 0o700);
    return openSync(file, "a", 0o600);
  }
}
