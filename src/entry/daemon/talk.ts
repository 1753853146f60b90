/** A question to the daemon from a person's command: is it there, and shall it go. */
import { connect } from "node:net";
import { HEADER_BYTES, KIND, MAGIC } from "./protocol.ts";

const PATIENCE_MS = 1_000;

/** What it says, undefined: nobody answers. */
export const askDaemon = async (socketFile: string, word: "status" | "stop"): Promise<string | undefined> =>
  stdoutOf(await say(socketFile, word));

/** Whether anybody answers, and be it that there is no room. */
export const isAnswered = async (socketFile: string): Promise<boolean> => (await say(socketFile, "status")).length > 0;

function say(socketFile: string, word: "status" | "stop"): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = connect(socketFile);
    const chunks: Buffer[] = [];
    const timer = setTimeout(() => socket.destroy(), PATIENCE_MS);
    socket.on("connect", () => socket.write(request(word)));
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks));
    });
  });
}

function request(word: string): Buffer {
  const argv = Buffer.from(`${word}\0`);
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUInt32LE(MAGIC, 0);
  head.writeUInt32LE(argv.length, 4);
  return Buffer.concat([head, argv]);
}

function stdoutOf(bytes: Buffer): string | undefined {
  if (bytes.length < 20 || bytes.readUInt32LE(0) !== KIND.answer) return undefined;
  return bytes.toString("utf8", 20, 20 + bytes.readUInt32LE(12));
}
