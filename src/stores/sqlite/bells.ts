/**
 * How processes that share a database file wake each other: a file beside it, to which every change adds a line that names
 * its approval and, if that is short, says what it became. Whoever waits watches the file. A bell that nobody hears is no
 * loss: waiters look again by themselves.
 */
import { type FSWatcher, mkdirSync, watch } from "node:fs";
import { join } from "node:path";
import type { Approval } from "../../approvals/approval.ts";
import type { OnApprovalChange, Unwatch } from "../../approvals/store.ts";
import { addLine, beginAt, linesAfter, type Place } from "./line-file.ts";

export class Bells {
  readonly #directory: string;
  readonly #file: string;
  readonly #byId = new Map<string, Set<OnApprovalChange>>();
  readonly #ofAll = new Set<OnApprovalChange>();
  #listening: { readonly watcher: FSWatcher; heard: Place } | undefined;

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
    this.#listening?.watcher.close();
    this.#listening = undefined;
  }

  #listen(): void {
    if (this.#listening) return;
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const watcher = watch(this.#directory, { persistent: true }, () => this.#hear());
    // Whoever watches goes on by looking from time to time; the next who comes tries anew.
    watcher.on("error", () => {
      if (this.#listening?.watcher === watcher) this.close();
    });
    this.#listening = { watcher, heard: beginAt(this.#file) };
  }

  #hear(): void {
    if (!this.#listening) return;
    const lines = this.#linesOf(this.#listening);
    if (lines) for (const line of lines) this.#tell(line);
    else this.#tellAll();
  }

  /** Undefined: nobody knows what was rung. */
  #linesOf(listening: { heard: Place }): readonly string[] | undefined {
    try {
      const { lines, place } = linesAfter(this.#file, listening.heard);
      listening.heard = place;
      return lines;
    } catch {
      return undefined;
    }
  }

  #tell(line: string): void {
    const rung = LINE.exec(line)?.groups;
    if (!rung) return;
    const id = decoded(decodeURIComponent, rung.name) ?? "";
    const watchers = [...(this.#byId.get(id) ?? []), ...this.#ofAll];
    if (watchers.length === 0) return;
    const news: Approval | undefined = decoded(JSON.parse, rung.body);
    for (const watcher of watchers) watcher(id, news);
  }

  #tellAll(): void {
    for (const [id, watchers] of [...this.#byId]) for (const watcher of [...watchers]) watcher(id);
    for (const watcher of [...this.#ofAll]) watcher("");
  }
}

/** What is longer is told of by its id. */
const LONGEST_NEWS = 7_900;
const LINE = /^(?<name>\S+) \d+ (?<body>.*)$/;

/** Undefined: it was too long to be told, or whoever rang did not come to the end of it. */
function decoded<T>(decode: (text: string) => T, text = ""): T | undefined {
  try {
    return decode(text);
  } catch {
    return undefined;
  }
}
