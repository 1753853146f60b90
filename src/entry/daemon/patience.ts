/** How long a client may take over its own part of a call. One that hangs must not keep the daemon, nor its memory. */
import type { Socket } from "node:net";

/** Far more than the native client needs, and more than it lets its host take over the payload. */
export const PATIENCE_MS = 5_000;

const LOOK_MS = 500;

/** One timer for all connections: one for each would cost every call more than the waiting is worth. */
export class Patience {
  readonly #sinceMs = new Map<Socket, number>();
  #timer: NodeJS.Timeout | undefined;

  /** From now on its client is waited for. */
  begin(socket: Socket): void {
    this.#sinceMs.set(socket, performance.now());
    this.#timer ??= setInterval(() => this.#look(), LOOK_MS).unref();
  }

  /** Its client has done its part. */
  end(socket: Socket): void {
    this.#sinceMs.delete(socket);
  }

  #look(): void {
    const now = performance.now();
    for (const [socket, sinceMs] of this.#sinceMs) if (now - sinceMs >= PATIENCE_MS) socket.destroy();
    if (this.#sinceMs.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
