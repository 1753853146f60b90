/** What Holdfast itself says to the daemon: is it there, shall it go, answer this made-up call. */
import { connect } from "node:net";
import { encodeRequest, GO, KIND, type Request } from "./protocol.ts";

const PATIENCE_MS = 1_000;

/** What it says, undefined: nobody answers. */
export const askDaemon = async (socketFile: string, word: "status" | "stop"): Promise<string | undefined> =>
  stdoutOf(await say(socketFile, question(word)));

/** Whether anybody answers, and be it that there is no room. */
export const isAnswered = async (socketFile: string): Promise<boolean> =>
  (await say(socketFile, question("status"))).length > 0;

/** A whole call; go is said beforehand. */
export const callDaemon = (socketFile: string, request: Request): Promise<Buffer> =>
  say(socketFile, Buffer.concat([encodeRequest(request), Uint8Array.of(GO, 0, 0, 0)]));

function say(socketFile: string, bytes: Buffer): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = connect(socketFile);
    const chunks: Buffer[] = [];
    const timer = setTimeout(() => socket.destroy(), PATIENCE_MS);
    socket.on("connect", () => socket.write(bytes));
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks));
    });
  });
}

const question = (word: string) => encodeRequest({ argv: [word], env: {}, cwd: "", payload: new Uint8Array(), id: "" });

function stdoutOf(bytes: Buffer): string | undefined {
  if (bytes.length < 20 || bytes.readUInt32LE(0) !== KIND.answer) return undefined;
  return bytes.toString("utf8", 20, 20 + bytes.readUInt32LE(12));
}
