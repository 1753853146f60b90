/**
 * A daemon that does what it is told, in a process of its own (the client kills it): `node stand-in.mjs <socket>`.
 * Its steps come on stdin; it prints a line of JSON for each thing it sees. Only node built-ins: its types are stripped and it is run as it is.
 */
import { chmodSync, readFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";

export type Step =
  /** Reads the request and prints it. */
  | { readonly do: "request" }
  /** Sends these bytes (base64). */
  | { readonly do: "send"; readonly bytes: string }
  | { readonly do: "sleep"; readonly ms: number }
  /** Waits until the client has left. */
  | { readonly do: "left" }
  /** Says JUDGED and prints whether the client can still hear it. */
  | { readonly do: "claim" }
  /** Answers with the payload on stdout. */
  | { readonly do: "echo" }
  | { readonly do: "close" };

export interface Request {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly payload: string;
  readonly id: string;
}

export type Seen =
  | { readonly seen: "listening"; readonly pid: number }
  | { readonly seen: "request"; readonly request: Request }
  | { readonly seen: "claimed" | "refused" }
  | { readonly seen: "closed" };

const u32 = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, 4 * index);
  return bytes;
};

const message = (kind: number, body: Buffer = Buffer.alloc(0)) => Buffer.concat([u32(kind, body.length), body]);

export const accepted = (ms: number) => message(1, u32(ms));
export const judging = message(5);
export const judged = message(2);
export const declined = message(4);
export const answer = (code: number, stdout: Buffer, stderr: Buffer) =>
  message(3, Buffer.concat([u32(code, stdout.length, stderr.length), stdout, stderr]));
export const header = (kind: number, length: number) => u32(kind, length);

const say = (seen: Seen) => process.stdout.write(`${JSON.stringify(seen)}\n`);

/** Hands out exactly as many bytes as are asked for. */
class Reader {
  #bytes = Buffer.alloc(0);
  #wake: () => void = () => {};

  constructor(socket: Socket) {
    socket.on("data", (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      this.#wake();
    });
  }

  async take(length: number): Promise<Buffer> {
    while (this.#bytes.length < length) await new Promise<void>((resolve) => (this.#wake = resolve));
    const taken = this.#bytes.subarray(0, length);
    this.#bytes = this.#bytes.subarray(length);
    return taken;
  }
}

const listOf = (bytes: Buffer) => bytes.toString("utf8").split("\0").slice(0, -1);

async function readRequest(reader: Reader): Promise<Request> {
  const head = await reader.take(24);
  const [magic = 0, argv = 0, env = 0, cwd = 0, payload = 0, id = 0] = [0, 4, 8, 12, 16, 20].map((at) =>
    head.readUInt32LE(at),
  );
  if (magic !== 0x31464448) throw new Error(`magic ${magic.toString(16)}`);
  const pairs = async () =>
    listOf(await reader.take(env)).map((pair): [string, string] => {
      const at = pair.indexOf("=");
      return [pair.slice(0, at), pair.slice(at + 1)];
    });
  return {
    argv: listOf(await reader.take(argv)),
    env: Object.fromEntries(await pairs()),
    cwd: (await reader.take(cwd)).toString("utf8"),
    payload: (await reader.take(payload)).toString("utf8"),
    id: (await reader.take(id)).toString("utf8"),
  };
}

async function play(steps: readonly Step[], socket: Socket, quiet: boolean): Promise<void> {
  const reader = new Reader(socket);
  const left = new Promise((resolve) => socket.once("close", resolve));
  let payload = "";
  for (const step of steps) {
    if (step.do === "request") {
      const request = await readRequest(reader);
      payload = request.payload;
      if (!quiet) say({ seen: "request", request });
    } else if (step.do === "send") socket.write(Buffer.from(step.bytes, "base64"));
    else if (step.do === "sleep") await new Promise((resolve) => setTimeout(resolve, step.ms));
    else if (step.do === "left") await left;
    else if (step.do === "claim") {
      const error = await new Promise((resolve) => socket.write(judged, resolve));
      if (!quiet) say({ seen: error ? "refused" : "claimed" });
    } else if (step.do === "echo") socket.write(answer(0, Buffer.from(payload), Buffer.alloc(0)));
    else socket.destroy();
  }
}

function serve(path: string, steps: readonly Step[], quiet: boolean): void {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("close", () => quiet || say({ seen: "closed" }));
    void play(steps, socket, quiet);
  });
  process.umask(0o077);
  server.listen({ path, backlog: 511 }, () => {
    chmodSync(path, 0o600);
    say({ seen: "listening", pid: process.pid });
  });
}

const [script, path, mode] = process.argv.slice(1);
if (script?.endsWith("stand-in.mjs") && path) serve(path, JSON.parse(readFileSync(0, "utf8")), mode === "quiet");
