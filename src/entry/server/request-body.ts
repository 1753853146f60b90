/** Bodies are read up to a limit, whatever their length claims to be. */
import type { ServerCall } from "./context.ts";
import { Problem } from "./problem.ts";

export const MAX_BODY_BYTES = 1024 * 1024;

/** A form writes a byte that is no letter as three, and a line's end as six: as much can be said in it as in JSON. */
export const MAX_FORM_BYTES = 6 * MAX_BODY_BYTES;

export async function readBytes(c: ServerCall, maxBytes = MAX_BODY_BYTES): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(c.req.header("content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const { body } = c.req.raw;
  if (!body) return new Uint8Array();
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      await reader.cancel();
      throw tooLarge(maxBytes);
    }
    chunks.push(value);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

export async function readJson(c: ServerCall): Promise<unknown> {
  if (!/^application\/json\s*(;|$)/i.test(c.req.header("content-type") ?? ""))
    throw new Problem(415, "HF914", "the body is not JSON", { fix: "Send it as content-type: application/json." });
  const text = textOf(await readBytes(c));
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem(400, "HF914", "the body is not valid JSON");
  }
}

export async function readForm(c: ServerCall, maxBytes: number): Promise<Readonly<Record<string, string>>> {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(c.req.header("content-type") ?? ""))
    throw new Problem(415, "HF914", "the body is not a form", {
      fix: "Send it as content-type: application/x-www-form-urlencoded.",
    });
  return Object.fromEntries(new URLSearchParams(textOf(await readBytes(c, maxBytes))));
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Problem(400, "HF914", "the body is not UTF-8 text");
  }
}

const tooLarge = (maxBytes: number) =>
  new Problem(413, "HF914", `the body is larger than ${maxBytes / 1024} KiB`, { headers: { connection: "close" } });
