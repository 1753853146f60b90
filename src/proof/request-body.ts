import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import * as zlib from "node:zlib";

export type RequestBody =
  | { readonly kind: "json"; readonly json: unknown }
  | { readonly kind: "empty" }
  | { readonly kind: "unreadable"; readonly raw: string; readonly problem: string };

export async function readBody(request: IncomingMessage): Promise<RequestBody> {
  const sent = await buffer(request);
  if (sent.length === 0) return { kind: "empty" };
  let raw: Buffer = sent;
  try {
    raw = await decode(sent, request.headers["content-encoding"] ?? "identity");
    return { kind: "json", json: JSON.parse(raw.toString("utf8")) };
  } catch (error) {
    return { kind: "unreadable", raw: raw.toString("utf8"), problem: String(error) };
  }
}

type Decoder = (data: Buffer) => Promise<Buffer>;

/** Node has zstd from 22.15 on. */
const { zstdDecompress } = zlib as typeof zlib & { readonly zstdDecompress?: typeof zlib.gunzip };

const decoders: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ["identity", async (data) => data],
  ["gzip", promisify<Buffer, Buffer>(zlib.gunzip)],
  ["deflate", promisify<Buffer, Buffer>(zlib.inflate)],
  ["br", promisify<Buffer, Buffer>(zlib.brotliDecompress)],
  ...(zstdDecompress ? [["zstd", promisify<Buffer, Buffer>(zstdDecompress)] as const] : []),
]);

function decode(data: Buffer, encoding: string): Promise<Buffer> {
  const decoder = decoders.get(encoding.trim().toLowerCase());
  if (decoder === undefined) throw new Error(`content-encoding ${encoding} is not one of ${[...decoders.keys()]}`);
  return decoder(data);
}
