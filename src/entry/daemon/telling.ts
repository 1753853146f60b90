/** What a client hears of its call: that it is accepted, is being judged, is claimed, and the answer. */
import type { Socket } from "node:net";
import { accepted, acceptedAndJudged, judged, judging } from "./protocol.ts";

/** A client takes one that is silent three times as long for hung. */
const SIGN_OF_LIFE_MS = 1_000;

export class Telling {
  readonly #socket: Socket;
  #acceptedMs: number | undefined;
  #isAcceptedSaid = false;
  #alive: NodeJS.Timeout | undefined;
  #isJudgingOver = false;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Only the first time counts. Sent with the claim if that comes in this turn: every message wakes the client up. */
  accept(milliseconds: number): void {
    if (this.#acceptedMs !== undefined) return;
    this.#acceptedMs = milliseconds;
    sayIfLate(this);
  }

  sayAccepted(): void {
    if (this.#isAcceptedSaid || this.#acceptedMs === undefined) return;
    this.#isAcceptedSaid = true;
    this.#socket.write(accepted(this.#acceptedMs));
    this.#alive = setInterval(() => this.#socket.write(judging()), SIGN_OF_LIFE_MS);
  }

  /** Whether the client still waits for a judgement: one more sign of life, which the kernel refuses where nobody reads. */
  isHeard(): boolean | Promise<boolean> {
    if (this.#isJudgingOver) return false;
    this.sayAccepted();
    return taken(this.#socket, judging());
  }

  /** Whatever came of it: nothing more is said of the judging. */
  judgingIsOver(): void {
    this.#isJudgingOver = true;
    clearInterval(this.#alive);
    late.delete(this);
  }

  /**
   * Says JUDGED, which makes the call ours to record. A client that gives up shuts its end for reading: then this fails,
   * or the client finds the word. So one of us records the call, and both know who.
   */
  claim(): boolean | Promise<boolean> {
    const word = this.#isAcceptedSaid ? judged() : acceptedAndJudged(this.#acceptedMs ?? 0);
    return taken(this.#socket, word);
  }

  /** Closes once the kernel has the answer: the client reads it from there. */
  conclude(answer: Buffer): void {
    const socket = this.#socket;
    // Not in the callback itself: a stream that is destroyed there makes an error of it that nobody hears.
    socket.write(answer, () => queueMicrotask(() => socket.destroy()));
  }
}

/** Whether the kernel has taken all of it, which is known at once unless the client leaves its buffer full. */
function taken(socket: Socket, bytes: Buffer): boolean | Promise<boolean> {
  // One that is destroyed or ended takes a write without a word, and drops it.
  if (!socket.writable) return false;
  const later = new Promise<boolean>((resolve) => socket.write(bytes, (error) => resolve(!error)));
  if (socket.errored || socket.destroyed) return false;
  return socket.writableLength === 0 ? true : later;
}

/** Judgements that are not there by the end of a turn of the event loop. */
const late = new Set<Telling>();
let isDue = false;

function sayIfLate(telling: Telling): void {
  late.add(telling);
  if (isDue) return;
  isDue = true;
  setImmediate(() => {
    isDue = false;
    for (const one of late) one.sayAccepted();
    late.clear();
  });
}
