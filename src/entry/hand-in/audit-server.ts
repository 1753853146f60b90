/** The server that takes records, over its API. */
import { type HandedRow, outlineOf } from "../../engine/handed-row.ts";

export interface AuditServer {
  /** How far a source has been handed in. */
  lastSequence(source: string): Promise<number>;
  /** Rows of one source in their order; returns how far it has been handed in now. */
  handIn(source: string, rows: readonly HandedRow[]): Promise<number>;
}

const PATIENCE_MS = 20_000;

export function auditServer(server: string, given: string): AuditServer {
  const token = given.trim();
  // fetch would say the whole of it in its error.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new Error("the token holds a character that no token has, a line break perhaps: set its variable anew");
  const base = server.replace(/\/+$/, "");
  const name = shownName(base);

  async function ask(path: string, body?: object): Promise<number> {
    const { status, ok, text } = await fetch(`${base}/api/audit${path}`, {
      method: body ? "POST" : "GET",
      headers: { authorization: `Bearer ${token}`, ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
      redirect: "error",
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
      .then(async (response) => ({ status: response.status, ok: response.ok, text: await response.text() }))
      .catch((error: Error) => {
        throw new Error(`${name} cannot be reached: ${(error.cause as Error | undefined)?.message ?? error.message}`);
      });
    const { lastSequence, error } = answerOf(text);
    if (ok && Number.isSafeInteger(lastSequence)) return lastSequence as number;
    const said = typeof error?.message === "string" ? error.message.slice(0, LONGEST_SAID) : "no JSON of ours";
    throw new ServerRefusal(status, `${name} answered ${status}: ${said}`);
  }

  const send = (source: string, rows: readonly HandedRow[]) =>
    // Whose they are is for the token to say.
    ask("", { source, rows: rows.map(({ organisation: _own, ...row }) => row) });

  async function handIn(source: string, rows: readonly HandedRow[]): Promise<number> {
    try {
      return await send(source, rows);
    } catch (error) {
      if (!(error instanceof ServerRefusal && error.isOfContent)) throw error;
      const [only] = rows;
      if (!only) throw error;
      // One row that the server cannot use must hold up no other: it is found by halves, and its outline sent instead.
      if (rows.length === 1) return send(source, [outlineOf(only)]);
      const middle = Math.ceil(rows.length / 2);
      await handIn(source, rows.slice(0, middle));
      return handIn(source, rows.slice(middle));
    }
  }

  return { lastSequence: (source) => ask(`/sources/${encodeURIComponent(source)}`), handIn };
}

const LONGEST_SAID = 300;

export class ServerRefusal extends Error {
  override readonly name = "ServerRefusal";
  readonly isOfContent: boolean;
  /** It knows this token, or does not, and will say the same next time. */
  readonly isOfToken: boolean;

  constructor(status: number, message: string) {
    super(message);
    this.isOfContent = [400, 413, 422].includes(status);
    this.isOfToken = [401, 403].includes(status);
  }
}

/** What a message may hold: the address may have been put together of variables, and any part of it be a secret. */
function shownName(base: string): string {
  if (!URL.canParse(base))
    throw new Error("the address of the server is not a URL; mend records.server in your config");
  const { origin, username, password } = new URL(base);
  if (username !== "" || password !== "")
    throw new Error(
      `the address of ${origin} holds a user name or password; records.token_env names the token instead`,
    );
  return origin;
}

function answerOf(text: string): { lastSequence?: unknown; error?: { message?: unknown } } {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
