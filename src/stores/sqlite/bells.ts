/**
 * How processes that share a database file wake each other: a file beside it, to which every change adds a line that names
 * its approval and, if that is short, says what it became. Whoever waits watches the file. A bell that nobody hears is no
 * loss: waiters look again by themselves.
 */
import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
import type { Approval } from "../../approvals/approval.ts";
import type { OnApprovalChange, Unwatch } from "../../approvals/store.ts";
import { makeDirectory } from "../../files/make-directory.ts";
import { newsOf } from "../news.ts";
import { LineAdder, LineFollower } from "./line-file.ts";

export class Bells {
  readonly #directory: string;
  readonly #file: string;
  readonly #adder: LineAdder;
  /** By the id, encoded as in a line. */
  readonly #byName = new Map<string, Set<OnApprovalChange>>();
  readonly #ofAll = new Set<OnApprovalChange>();
  #watching: FSWatcher | undefined;
  #follower: LineFollower | undefined;
  #isToBeChecked = false;
  #isClosed = false;

  constructor(directory: string) {
    this.#directory = directory;
    this.#file = join(directory, "rung");
    this.#adder = new LineAdder(this.#file);
  }

  /** `body` is the approval as it was stored. */
  ring({ id, version }: Approval, body: string): void {
    if (this.#isClosed) return;
    try {
      this.#adder.add(`${encodeURIComponent(id)} ${version} ${body.length <= LONGEST_NEWS ? body : ""}`);
    } catch {
      // None can be rung here. The change is stored all the same, and must not be reported as failed: waiters look by
      // themselves. The next one is rung with the file opened anew: the descriptor may be what failed.
      this.#giveUpAdder();
    }
  }

  watch(id: string | null, watcher: OnApprovalChange): Unwatch {
    this.#listen();
    const own: OnApprovalChange = (changed, news) => watcher(changed, news);
    const name = id === null ? null : encodeURIComponent(id);
    const watchers = name === null ? this.#ofAll : (this.#byName.get(name) ?? new Set());
    watchers.add(own);
    if (name !== null) this.#byName.set(name, watchers);
    return () => {
      watchers.delete(own);
      if (name !== null && watchers.size === 0 && this.#byName.get(name) === watchers) this.#byName.delete(name);
      if (this.#ofAll.size === 0 && this.#byName.size === 0) this.#stopListening();
    };
  }

  close(): void {
    this.#isClosed = true;
    this.#stopListening();
    this.#giveUpAdder();
  }

  #giveUpAdder(): void {
    try {
      this.#adder.close();
    } catch {
      // It is given up all the same.
    }
  }

  #stopListening(): void {
    this.#watching?.close();
    this.#follower?.close();
    this.#watching = undefined;
    this.#follower = undefined;
  }

  #listen(): void {
    if (this.#watching) return;
    makeDirectory(this.#directory, 0o700);
    const watching = watch(this.#directory, { persistent: true }, () => this.#hear());
    watching.on("error", () => {
      if (this.#watching === watching) this.#stopListening();
    });
    this.#watching = watching;
    try {
      this.#follower = new LineFollower(this.#file);
    } catch (error) {
      this.#stopListening();
      throw error;
    }
  }

  /** Whoever watches goes on by looking from time to time; the next who comes tries anew. */
  #orDeaf<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch {
      this.#stopListening();
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
    const nameEnd = Math.max(line.indexOf(" "), 0);
    const name = line.slice(0, nameEnd);
    const ofOne = this.#byName.get(name);
    if (!ofOne && this.#ofAll.size === 0) return;
    const id = decoded(name);
    if (id === undefined) return;
    const versionEnd = line.indexOf(" ", nameEnd + 1);
    const news = newsOf(id, versionEnd < 0 ? "" : line.slice(versionEnd + 1));
    for (const watcher of [...(ofOne ?? []), ...this.#ofAll]) watcher(id, news);
  }

  #tellAll(): void {
    for (const [name, watchers] of [...this.#byName])
      for (const watcher of [...watchers]) watcher(decodeURIComponent(name));
    for (const watcher of [...this.#ofAll]) watcher("");
  }
}

/** What is longer is told of by its id. */
const LONGEST_NEWS = 7_900;

/** Undefined: it is not there, or whoever rang did not come to the end of it. */
function decoded(name: string): string | undefined {
  try {
    return name === "" ? undefined : decodeURIComponent(name);
  } catch {
    return undefined;
  }
}
