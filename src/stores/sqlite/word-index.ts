/**
 * The words people said when they decided go into the index after the decision, so that whoever waits for it does not
 * wait for them. What is still to be put in is what the history holds beyond a mark: nothing is kept besides, and
 * whichever process looks next goes on where one that died left off. A search catches up first.
 */
import type { Approval } from "../../approvals/approval.ts";
import { SAYS_WORDS } from "../sql/approval-row.ts";
import { searchableWords } from "../words.ts";
import type { SqliteConnection } from "./connection.ts";

export class WordIndex {
  readonly #connection: SqliteConnection;
  #timer: NodeJS.Timeout | undefined;
  #behindSince: number | undefined;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** Part of the write that stores the approval. */
  add(seq: number, approval: Approval): void {
    this.#connection.run(ADD, seq, textOf(approval));
  }

  /** Once decisions have paused for a moment: nobody who clicks is to meet this write. */
  catchUpSoon(): void {
    this.#behindSince ??= performance.now();
    const behindMs = performance.now() - this.#behindSince;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#behindSince = undefined;
        // Not said: a search that meets the same says it.
        this.catchUp().catch(() => {});
      },
      Math.max(0, Math.min(PAUSE_MS, LONGEST_BEHIND_MS - behindMs)),
    ).unref();
  }

  async catchUp(): Promise<void> {
    while (await this.#isBehind()) await this.#connection.write(() => this.#putIn());
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  /** What says no words is passed over without a write, up to a point: each look goes through it. */
  async #isBehind(): Promise<boolean> {
    const [standing] = await this.#connection.execute<{ rows: number; said: number }>(STANDING, [...SAYS_WORDS]);
    return standing !== undefined && (standing.said === 1 || standing.rows > MOST_PASSED_OVER);
  }

  #putIn(): void {
    const said = this.#connection.all<{ seq: number; approval: string }>(SAID, ...SAYS_WORDS, MOST_AT_ONCE);
    for (const id of new Set(said.map(({ approval }) => approval))) {
      const [row] = this.#connection.all<{ seq: number; body: string }>(BY_ID, id);
      if (row) this.#connection.run(CHANGE, textOf(JSON.parse(row.body)), row.seq);
    }
    if (said.length === MOST_AT_ONCE) this.#connection.run(MARK, said.at(-1)?.seq);
    else this.#connection.run(MARK_ALL);
  }
}

const PAUSE_MS = 200;
const LONGEST_BEHIND_MS = 2_000;
/** A process stands still for as long as one write takes. */
const MOST_AT_ONCE = 50;
const MOST_PASSED_OVER = 1_000;

const ADD = "insert into approval_words (rowid, words) values (?, ?)";
const CHANGE = "update approval_words set words = ? where rowid = ?";
const BY_ID = "select seq, body from approvals where id = ?";
const BEYOND = `
  from history where seq > (select history from words_put_in)
  and json_extract(body, '$.action') in (${[...SAYS_WORDS].map(() => "?").join(", ")})`;
const STANDING = `
  select coalesce((select max(seq) from history), 0) - (select history from words_put_in) as rows,
    exists (select 1 ${BEYOND}) as said`;
const SAID = `select seq, approval ${BEYOND} order by seq limit ?`;
const MARK = "update words_put_in set history = ?";
const MARK_ALL = "update words_put_in set history = (select coalesce(max(seq), 0) from history)";

/** A blank before each, so that a word's beginning can be told from its middle. */
const textOf = (approval: Approval) =>
  searchableWords(approval)
    .map((word) => ` ${word}`)
    .join("");
