/** Requests to platforms: bounded in time and size, to https or this machine only, and never redirected. */
import { ChannelFailure } from "./failure.ts";

export const REQUEST_TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

export interface OutgoingRequest {
  readonly method: "GET" | "POST" | "PATCH";
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface PlatformAnswer {
  readonly status: number;
  readonly body: string;
}

export type Http = (request: OutgoingRequest) => Promise<PlatformAnswer>;

/** `platform` is how messages name it. Query and body are never part of a message: both may carry credentials. */
export function httpFor(platform: string, timeoutMs = REQUEST_TIMEOUT_MS): Http {
  return async ({ method, url, headers, body }) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const where = `${method} ${url.origin}${url.pathname}`;
    try {
      const response = await fetch(url, {
        method,
        redirect: "manual",
        signal,
        headers: { ...(body === undefined ? {} : { "content-type": "application/json; charset=utf-8" }), ...headers },
        ...(body === undefined ? {} : { body }),
      });
      if (response.status >= 300 && response.status < 400) {
        await response.body?.cancel();
        throw new ChannelFailure(
          "HF935",
          `${platform} answered ${where} with a redirect, which is not followed`,
          false,
        );
      }
      return { status: response.status, body: await readBounded(response, platform, where) };
    } catch (error) {
      if (error instanceof ChannelFailure) throw error;
      const why = signal.aborted
        ? `did not answer within ${timeoutMs / 1000} s`
        : `cannot be reached (${causeOf(error)})`;
      throw new ChannelFailure("HF935", `${platform} ${why}: ${where}`, true);
    }
  };
}

async function readBounded(response: Response, platform: string, where: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES)
      throw new ChannelFailure(
        "HF935",
        `${platform} answered ${where} with more than ${MAX_ANSWER_BYTES} bytes`,
        false,
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof Error) return "code" in cause ? String(cause.code) : cause.message;
  return String(cause);
}

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Whether credentials and calls may be sent there. */
export function isSafeTarget(url: URL): boolean {
  if (url.username !== "" || url.password !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.has(url.hostname));
}

/** As URLs are written once they are read: `127.1` and numbers are such an address too by then. */
const HERE = /^(localhost|.+\.localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:(7f[0-9a-f]{2}:[0-9a-f]+|0:0)\])$/;

/** Whether it leads to this very machine. */
export const isHere = ({ hostname }: URL): boolean => HERE.test(hostname.replace(/\.$/, ""));
