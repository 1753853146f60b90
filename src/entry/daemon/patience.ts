/** How long a client may take over its own part of a call. One that hangs must not keep the daemon, nor its memory. */
import type { Socket } from "node:net";

/** Far more than the native client needs, and more than it lets its host take over the payload. */
export const PATIENCE_MS = 5_000;

/** What was promised, or `otherwise` if it does not come in time. */
export async function within<T>(promised: Promise<T>, otherwise: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), PATIENCE_MS);
  });
  try {
    return await Promise.race([promised, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves once the socket is closed: by a client that has taken its answer, or because it does not take it. */
export async function closed(socket: Socket): Promise<void> {
  if (socket.closed) return;
  const timer = setTimeout(() => socket.destroy(), PATIENCE_MS);
  await new Promise<void>((resolve) => socket.once("close", () => resolve()));
  clearTimeout(timer);
}
