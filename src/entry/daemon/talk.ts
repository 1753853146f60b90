/** What Holdfast itself says to the daemon: is it there, shall it go, answer this made-up call. */
import { connect } from "node:net";
import { encodeRequest, KIND, type Request } from "./protocol.ts";

const PATIENCE_MS = 1_000;
/**
 * Under a crowd of callers an answer takes its time; who is replaced for that leaves two daemons to a machine that is busy,
 * and who is told to stop would stay. Where nobody listens, nobody is waited for.
 */
const CROWD_PATIENCE_MS = 4_000;
const AGAIN_MS = 50;

/** What it says, undefined: nobody answers. */
export const askDaemon = async (socketFile: string, word: "status" | "stop"): Promise<string | undefined> =>
  stdoutOf((await converse(socketFile, question(word), CROWD_PATIENCE_MS)).bytes);

/** Whether anybody answers, and be it that there is no room. */
export async function isAnswered(socketFile: string): Promise<boolean> {
  const endMs = performance.now() + CROWD_PATIENCE_MS;
  for (let wasHungUp = false; ; ) {
    const leftMs = endMs - performance.now();
    const { bytes, problem } = await converse(socketFile, question("status"), Math.max(1, leftMs));
    const isHungUp = problem === "EPIPE" || problem === "ECONNRESET";
    // Whoever hangs up on us is there, and may have declined before we had said a word; or it has just died, with us in
    // its queue: then nobody hangs up on us a second time.
    if (bytes.length > 0 || (isHungUp && wasHungUp)) return true;
    // Only where callers queue already: somebody listens.
    if (!isHungUp && (problem !== "EAGAIN" || leftMs <= 0)) return false;
    wasHungUp ||= isHungUp;
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

/** A whole call. */
export const callDaemon = async (socketFile: string, request: Request): Promise<Buffer> =>
  (await converse(socketFile, encodeRequest(request), PATIENCE_MS)).bytes;

function converse(
  socketFile: string,
  bytes: Buffer,
  patienceMs: number,
): Promise<{ readonly bytes: Buffer; readonly problem: string | undefined }> {
  return new Promise((resolve) => {
    const socket = connect(socketFile);
    const chunks: Buffer[] = [];
    let problem: string | undefined;
    const timer = setTimeout(() => socket.destroy(), patienceMs);
    socket.on("connect", () => socket.write(bytes));
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", (error: NodeJS.ErrnoException) => {
      problem = error.code;
    });
    socket.on("close", () => {
      clearTimeout(timer);
      resolve({ bytes: Buffer.concat(chunks), problem });
    });
  });
}

const question = (word: string) => encodeRequest({ argv: [word], env: {}, cwd: "", payload: new Uint8Array(), id: "" });

function stdoutOf(bytes: Buffer): string | undefined {
  if (bytes.length < 20 || bytes.readUInt32LE(0) !== KIND.answer) return undefined;
  return bytes.toString("utf8", 20, 20 + bytes.readUInt32LE(12));
}
