/** What the native client and the daemon say to each other: native/README.md has the same in words. */

export const MAGIC = 0x31464448;
export const HEADER_BYTES = 24;
/** The client keeps larger payloads to itself. */
const MAX_REQUEST_BYTES = 2 * 1024 * 1024;

export interface Request {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** As it came: what is no UTF-8 is refused as in a process of its own. */
  readonly payload: Uint8Array;
  readonly id: string;
}

export const KIND = { accepted: 1, judged: 2, answer: 3, declined: 4, judging: 5 } as const;

/** Collects a request as it arrives. Throws on what is none. */
export class RequestReader {
  #chunks: Buffer[] = [];
  #bytes = 0;
  #wanted: number | undefined;

  /** The request once it is whole. */
  feed(chunk: Buffer): Request | undefined {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#wanted === undefined && this.#bytes >= HEADER_BYTES) this.#wanted = wantedBytes(this.#joined());
    if (this.#wanted === undefined || this.#bytes < this.#wanted) return undefined;
    return parseRequest(this.#joined());
  }

  #joined(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0] as Buffer;
  }
}

function wantedBytes(head: Buffer): number {
  if (head.readUInt32LE(0) !== MAGIC) throw new Error("this is no request of a Holdfast client");
  let total = HEADER_BYTES;
  for (let offset = 4; offset < HEADER_BYTES; offset += 4) total += head.readUInt32LE(offset);
  if (total > MAX_REQUEST_BYTES) throw new Error(`a request of ${total} bytes is too large`);
  return total;
}

function parseRequest(bytes: Buffer): Request {
  const envStart = HEADER_BYTES + bytes.readUInt32LE(4);
  const cwdStart = envStart + bytes.readUInt32LE(8);
  const payloadStart = cwdStart + bytes.readUInt32LE(12);
  const idStart = payloadStart + bytes.readUInt32LE(16);
  const { argv, env, cwd } = callerOf(bytes, envStart, cwdStart, payloadStart);
  const payload = bytes.subarray(payloadStart, idStart);
  return { argv, env, cwd, payload, id: bytes.toString("utf8", idStart) };
}

/** What a request says before its payload. */
interface Caller extends Pick<Request, "argv" | "env" | "cwd"> {
  readonly bytes: Buffer;
}

/** The calls of a session say the same of themselves: that is read once, and known again by its bytes. */
let lastCaller: Caller | undefined;

const LENGTHS_START = 4;
const LENGTHS_END = 16;

function callerOf(bytes: Buffer, envStart: number, cwdStart: number, end: number): Caller {
  const known = lastCaller;
  if (
    known?.bytes.length === end &&
    known.bytes.compare(bytes, LENGTHS_START, LENGTHS_END, LENGTHS_START, LENGTHS_END) === 0 &&
    known.bytes.compare(bytes, HEADER_BYTES, end, HEADER_BYTES, end) === 0
  )
    return known;
  lastCaller = {
    argv: words(bytes.toString("utf8", HEADER_BYTES, envStart)),
    env: environmentOf(bytes.toString("utf8", envStart, cwdStart)),
    cwd: bytes.toString("utf8", cwdStart, end),
    // A copy, because the chunk it lies in is as large as what was read at once.
    bytes: Buffer.from(bytes.subarray(0, end)),
  };
  return lastCaller;
}

/** Known again by its identity, whoever called in between. */
const MAX_ENVIRONMENTS = 64;
const environments = new Map<string, Readonly<Record<string, string>>>();

function environmentOf(block: string): Readonly<Record<string, string>> {
  const known = environments.get(block);
  if (known) return known;
  if (environments.size >= MAX_ENVIRONMENTS) environments.clear();
  const env = environment(words(block));
  environments.set(block, env);
  return env;
}

const words = (block: string) => block.split("\0").slice(0, -1);

function environment(entries: readonly string[]): Readonly<Record<string, string>> {
  const env: Record<string, string> = Object.create(null);
  for (const entry of entries) {
    const equals = entry.indexOf("=");
    if (equals > 0) env[entry.slice(0, equals)] = entry.slice(equals + 1);
  }
  return env;
}

/** As the native client writes it. */
export function encodeRequest({ argv, env, cwd, payload, id }: Request): Buffer {
  const block = (entries: readonly string[]) => Buffer.from(entries.map((entry) => `${entry}\0`).join(""));
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const parts = [block(argv), block(variables), Buffer.from(cwd), payload, Buffer.from(id)];
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUInt32LE(MAGIC, 0);
  for (const [index, part] of parts.entries()) head.writeUInt32LE(part.length, 4 + 4 * index);
  return Buffer.concat([head, ...parts]);
}

export function accepted(milliseconds: number): Buffer {
  const message = header(KIND.accepted, 4);
  return Buffer.concat([message, uint32(milliseconds)]);
}

/** In one piece, where there is nothing to be said in between. */
export function acceptedAndJudged(milliseconds: number): Buffer {
  const message = Buffer.allocUnsafe(20);
  message.writeUInt32LE(KIND.accepted, 0);
  message.writeUInt32LE(4, 4);
  message.writeUInt32LE(milliseconds, 8);
  message.writeUInt32LE(KIND.judged, 12);
  message.writeUInt32LE(0, 16);
  return message;
}

export const judging = (): Buffer => header(KIND.judging, 0);
export const judged = (): Buffer => header(KIND.judged, 0);
export const declined = (): Buffer => header(KIND.declined, 0);
/** Nothing is wrong with the daemon: the call is one for a process of its own. */
export const declinedAsLarge = (): Buffer => Buffer.concat([header(KIND.declined, 4), uint32(1)]);

export function answer(exitCode: number, stdout: string, stderr: string): Buffer {
  const outBytes = Buffer.byteLength(stdout);
  const errBytes = Buffer.byteLength(stderr);
  const message = Buffer.allocUnsafe(20 + outBytes + errBytes);
  message.writeUInt32LE(KIND.answer, 0);
  message.writeUInt32LE(12 + outBytes + errBytes, 4);
  message.writeUInt32LE(exitCode, 8);
  message.writeUInt32LE(outBytes, 12);
  message.writeUInt32LE(errBytes, 16);
  message.write(stdout, 20);
  message.write(stderr, 20 + outBytes);
  return message;
}

function header(kind: number, length: number): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(kind, 0);
  head.writeUInt32LE(length, 4);
  return head;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value, 0);
  return bytes;
}
