/** A client of the daemon for tests: it can stop at every stage of a call. */
import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { HEADER_BYTES, KIND, MAGIC } from "../../src/entry/daemon/protocol.ts";

export interface ClientCall {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly payload: object | string;
  readonly id?: string;
}

export interface Said {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** Up to where a call is taken: `answer` is the whole of it. */
export type Stage = "sent" | "judged" | "answer";

/** undefined: there was no answer. */
export async function call(
  socketFile: string,
  asked: ClientCall,
  until: Stage = "answer",
  hear: (kind: number) => void = () => {},
): Promise<Said | undefined> {
  const socket = connect(socketFile);
  const messages = messagesOf(socket);
  socket.write(requestOf(asked));
  if (until === "sent") return end(socket);
  for await (const { kind, body } of messages) {
    hear(kind);
    if (kind === KIND.declined) return end(socket);
    if (kind === KIND.judged && until === "judged") return end(socket);
    if (kind === KIND.answer) {
      const [code, out] = [body.readUInt32LE(0), body.readUInt32LE(4)];
      socket.destroy();
      return { code, stdout: body.toString("utf8", 12, 12 + out), stderr: body.toString("utf8", 12 + out) };
    }
  }
  return undefined;
}

export const newId = () => randomBytes(16).toString("hex");

function end(socket: Socket): undefined {
  socket.destroy();
  return undefined;
}

export function requestOf({ argv, env, cwd, payload, id = newId() }: ClientCall): Buffer {
  const block = (entries: readonly string[]) => Buffer.from(entries.map((entry) => `${entry}\0`).join(""));
  const parts = [
    block(argv),
    block(Object.entries(env).map(([name, value]) => `${name}=${value}`)),
    Buffer.from(cwd),
    Buffer.from(typeof payload === "string" ? payload : JSON.stringify(payload)),
    Buffer.from(id),
  ];
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUInt32LE(MAGIC, 0);
  for (const [index, part] of parts.entries()) head.writeUInt32LE(part.length, 4 + 4 * index);
  return Buffer.concat([head, ...parts]);
}

async function* messagesOf(socket: Socket): AsyncGenerator<{ kind: number; body: Buffer }> {
  let bytes = Buffer.alloc(0);
  try {
    for await (const chunk of socket) {
      bytes = Buffer.concat([bytes, chunk as Buffer]);
      while (bytes.length >= 8 && bytes.length >= 8 + bytes.readUInt32LE(4)) {
        const length = bytes.readUInt32LE(4);
        yield { kind: bytes.readUInt32LE(0), body: Buffer.from(bytes.subarray(8, 8 + length)) };
        bytes = bytes.subarray(8 + length);
      }
    }
  } catch {
    // The daemon is gone: there is no more to be heard.
  }
}
