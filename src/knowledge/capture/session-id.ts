/** The id a session's log is named by: a UUID, whatever the host calls its sessions. */
import { createHash } from "node:crypto";
import { HoldfastError } from "../../core/errors.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Hosts whose ids are their own, and what theirs look like. */
const OWN_IDS: Readonly<Record<string, RegExp>> = {
  opencode: /^ses_[0-9A-Za-z]+$/,
  cursor: /^[\w.-]{1,200}$/,
};

/** No id can lead out of the folder: it is a UUID, or one is made of it, the same every time. */
export function sessionIdOf(host: string, session: string): string {
  const id = session.toLowerCase();
  if (UUID.test(id)) return id;
  if (OWN_IDS[host]?.test(session)) return madeOf(`${host}:${session}`);
  const shown = JSON.stringify(session.slice(0, 80));
  throw new HoldfastError("HF1122", `${host} gave the session id ${shown}, which is none of its kind`);
}

function madeOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}
