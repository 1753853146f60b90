/** Codex: a rollout per session. One message may stand in it three times, in records of different kinds. */
import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject, type Json, type JsonObject } from "../../../core/json.ts";
import { readsOf, textOf } from "../content.ts";
import { jsonLines } from "../json-lines.ts";
import { linesOf } from "../lines.ts";
import type { Speaker } from "../segment.ts";
import type { LineReader, SessionPlace, TranscriptFormat, TranscriptItem } from "../transcript.ts";

export const codex: TranscriptFormat = {
  locate: rolloutOf,
  items: (path, session, faults) => jsonLines(path, reader(session), faults),
};

/** Told to the model in a person's place, and by no person; newer versions say so beside it. */
const NOT_SPOKEN =
  /^\s*(?:<(?:environment_context|user_instructions|permissions instructions|skills_instructions|turn_aborted)>|# AGENTS\.md instructions)/;

function reader(session: string): LineReader {
  let turn = echoes();
  return (record) => {
    const { type, payload } = record;
    if (!isJsonObject(payload)) return [];
    if (type === "event_msg" && payload.type === "task_started") turn = echoes();
    const calls =
      type === "response_item" && typeof payload.name === "string"
        ? readsOf(toolOf(payload.name), payload.arguments ?? payload.input ?? payload.action, payload.call_id)
        : [];
    const said =
      type === "response_item" ? inItem(payload) : type === "event_msg" ? inEvent(payload, session) : undefined;
    if (!said || said.text.trim() === "") return calls;
    const item: TranscriptItem = { type: "said", speaker: said.speaker, text: said.text };
    return turn.isNew(said) ? [item, ...calls] : calls;
  };
}

/** Commands have several names here; all of them read by a command line. */
const toolOf = (name: string) => (/^(?:shell|exec_command|local_shell|container\.exec)$/.test(name) ? "bash" : name);

interface Told {
  readonly source: string;
  readonly speaker: Speaker;
  readonly text: string;
}

function inItem(payload: JsonObject): Told | undefined {
  const { type, role, content } = payload;
  if (type !== "message" || (role !== "user" && role !== "assistant")) return undefined;
  const text = textOf(content, (kind) => kind.endsWith("_text"));
  if (role === "user" && !isSpoken(payload, text)) return undefined;
  return { source: "item", speaker: role === "user" ? "user" : "agent", text };
}

function isSpoken({ internal_chat_message_metadata_passthrough: beside }: JsonObject, text: string): boolean {
  const origins = isJsonObject(beside) ? beside.content_item_metadata : undefined;
  if (!Array.isArray(origins)) return !NOT_SPOKEN.test(text);
  return origins.some(
    (origin) => isJsonObject(origin) && isJsonObject(origin.provenance) && origin.provenance.type === "user",
  );
}

function inEvent(payload: JsonObject, session: string): Told | undefined {
  const told = (source: string, speaker: Speaker, text: Json | undefined) =>
    typeof text === "string" ? { source, speaker, text } : undefined;
  switch (payload.type) {
    case "user_message":
      return told("event", "user", payload.message);
    case "agent_message":
      return told("event", "agent", payload.message);
    case "task_complete":
      return told("end", "agent", payload.last_agent_message);
    case "item_completed": {
      const { item, thread_id: thread } = payload;
      if (!isJsonObject(item) || (typeof thread === "string" && thread !== session)) return undefined;
      const text = textOf(item.content, (kind) => kind.toLowerCase() === "text");
      if (item.type === "UserMessage") return told("event", "user", text);
      return item.type === "AgentMessage" ? told("event", "agent", text) : undefined;
    }
    default:
      return undefined;
  }
}

/** A turn may be long: of long texts only a digest is remembered. */
const LONG_TEXT = 100;

/** The nth time a source tells a text it is new only if no other source told it n times before. */
function echoes() {
  const told = new Map<string, Map<string, number>>();
  return {
    isNew({ source, speaker, text }: Told): boolean {
      const said = text.trim();
      const key = `${speaker} ${said.length > LONG_TEXT ? createHash("sha1").update(said).digest("base64") : said}`;
      const counts = told.get(key) ?? new Map<string, number>();
      told.set(key, counts);
      const times = (counts.get(source) ?? 0) + 1;
      const before = Math.max(0, ...counts.values());
      counts.set(source, times);
      return times > before;
    },
  };
}

const DAY = /^\d+$/;

/** By its name, the newest day first, however old: a session may be resumed after weeks. Then by what a file says it is. */
async function rolloutOf({ session, homeDir, env }: SessionPlace): Promise<string | undefined> {
  const root = join(env.CODEX_HOME || join(homeDir, ".codex"), "sessions");
  const ending = `-${session}.jsonl`;
  const days: string[] = [];
  for (const year of await newestFirst(root))
    for (const month of await newestFirst(year)) days.push(...(await newestFirst(month)));
  const unnamed: string[] = [];
  for (const day of days) {
    const names = (await readdir(day)).filter((name) => name.startsWith("rollout-") && name.endsWith(".jsonl"));
    const found = names
      .filter((name) => name.endsWith(ending))
      .sort()
      .at(-1);
    if (found !== undefined) return join(day, found);
    unnamed.push(...names.map((name) => join(day, name)));
  }
  for (const file of unnamed.slice(0, MAX_LOOKED_INTO)) if ((await idIn(file)) === session) return file;
  return undefined;
}

const MAX_LOOKED_INTO = 200;

async function newestFirst(folder: string): Promise<string[]> {
  try {
    const names = (await readdir(folder)).filter((name) => DAY.test(name));
    return names.sort((a, b) => Number(b) - Number(a)).map((name) => join(folder, name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}

async function idIn(file: string): Promise<Json | undefined> {
  for await (const line of linesOf(file, { maxBytes: 1024 * 1024, onSkipped: () => {} })) {
    try {
      const { type, payload } = JSON.parse(line) as JsonObject;
      return type === "session_meta" && isJsonObject(payload) ? payload.id : undefined;
    } catch {
      return undefined;
    }
  }
  return undefined;
}
