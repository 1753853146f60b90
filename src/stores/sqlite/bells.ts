/**
 * How processes that share a database file wake each other: a file beside it, to which every change adds a line that names
 * its approval and, if that is short, says what it became. Whoever waits watches the file. A bell that nobody hears is no
 * loss: waiters look again by themselves.
 */
import { type FSWatcher, mkdirSync, watch } from "node:fs";
import { join } from "node:path";
import type { Approval } from "../../approvals/approval.ts";
import type { OnApprovalChange, Unwatch } from "../../approvals/store.ts";
import { addLine, LineFollower } from "./line-file.ts";

export class Bells {
  readonly #directory: string;
  readonly #file: string;
  readonly #byId = new Map<string, Set<OnApprovalChange>>();
  readonly #ofAll = new Set<OnApprovalChange>();
  #watching: FSWatcher | undefined;
  #follower: LineFollower | undefined;
  #isToBeChecked = false;

  constructor(directory: string) {
    this.#directory = directory;
    this.#file = join(directory, "rung");
  }

  /** `body` is the approval as it was stored. */
  ring({ id, version }: Approval, body: string): void {
    try {
      addLine(this.#file, `${encodeURIComponent(id)} ${version} ${body.length <= LONGEST_NEWS ? body : ""}`);
    } catch {
      // None can be rung here. The change is stored all the same, and must not be reported as failed: waiters look by
      // themselves.
    }
  }

  watch(id: string | null, watcher: OnApprovalChange): Unwatch {
    this.#listen();
    const own: OnApprovalChange = (changed, news) => watcher(changed, news);
    const watchers = id === null ? this.#ofAll : (this.#byId.get(id) ?? new Set());
    watchers.add(own);
    if (id !== null) this.#byId.set(id, watchers);
    return () => {
      watchers.delete(own);
      if (id !== null && watchers.size === 0 && this.#byId.get(id) === watchers) this.#byId.delete(id);
      if (this.#ofAll.size === 0 && this.#byId.size === 0) this.close();
    };
  }

  close(): void {
    this.#watching?.close();
    this.#follower?.close();
    this.#watching = undefined;
    this.#follower = undefined;
  }

  #listen(): void {
    if (this.#watching) return;
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const watching = watch(this.#directory, { persistent: true }, () => this.#hear());
    watching.on("error", () => {
      if (this.#watching === watching) this.close();
    });
    this.#watching = watching;
    try {
      this.#follower = new LineFollower(this.#file);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Whoever watches goes on by looking from time to time; the next who comes tries anew. */
  #orDeaf<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch {
      this.close();
      return undefined;
    }
  }

  #hear(): void {
    for (const line of this.#orDeaf(() => this.#follower?.next()) ?? []) this.#tell(line);
    if (this.#isToBeChecked) return;
    // Not before those who were told have gone on.
    this.#isToBeChecked = true;
    setImmediate(() => {
      this.#isToBeChecked = false;
      if (!this.#orDeaf(() => this.#follower?.hasMissed())) return;
      this.#follower?.close();
      this.#follower = undefined;
      this.#follower = this.#orDeaf(() => new LineFollower(this.#file));
      this.#tellAll();
    });
  }

  #tell(line: string): void {
    const [name, body] = partsOf(line);
    const id = decoded(decodeURIComponent, name);
    const watchers = id === undefined ? [] : [...(this.#byId.get(id) ?? []), ...this.#ofAll];
    if (id === undefined || watchers.length === 0) return;
    const news: Approval | undefined = decoded(JSON.parse, body);
    for (const watcher of watchers) watcher(id, news);
  }

  #tellAll(): void {
    for (const [id, watchers] of [...this.#byId]) for (const watcher of [...watchers]) watcher(id);
    for (const watcher of [...this.#ofAll]) watcher("");
  }
}

/** What is longer is told of by its id. */
const LONGEST_NEWS = 7_900;

/** The id, encoded, and what follows its version. */
function partsOf(line: string): readonly [string, string] {
  const first = line.indexOf(" ");
  const second = line.indexOf(" ", first + 1);
  return [line.slice(0, Math.max(first, 0)), second < 0 ? "" : line.slice(second + 1)];
}

/** Undefined: it is not there, or whoever rang did not come to the end of it. */
function decoded<T>(decode: (text: string) => T, text: string): T | undefined {
  try {
    return text === "" ? undefined : decode(text);
  } catch {
    return undefined;
  }
}
