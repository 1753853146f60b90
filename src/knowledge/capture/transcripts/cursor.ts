/** Cursor, by its documentation and by what others recorded: a JSONL file per conversation. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject, type JsonObject } from "../../../core/json.ts";
import { readsOf, textOf } from "../content.ts";
import { jsonLines } from "../json-lines.ts";
import type { SessionPlace, TranscriptFormat, TranscriptItem } from "../transcript.ts";

export const cursor: TranscriptFormat = {
  locate,
  items: (path, _session, faults) => jsonLines(path, itemsOf, faults),
};

/** The role has been seen in three places. */
function itemsOf(record: JsonObject): readonly TranscriptItem[] {
  const message = isJsonObject(record.message) ? record.message : record;
  const role = [record.role, message.role, record.type].find((value) => value === "user" || value === "assistant");
  if (role === undefined) return [];
  const text = textOf(message.content);
  const blocks = Array.isArray(message.content) ? message.content : [];
  return [
    ...(text === ""
      ? []
      : [{ type: "said" as const, speaker: role === "user" ? ("user" as const) : "agent", text } as const]),
    ...blocks.flatMap((block) =>
      isJsonObject(block) && block.type === "tool_use" ? readsOf(block.name, block.input, block.id) : [],
    ),
  ];
}

/** The newest that is named by the conversation. */
async function locate({ session, homeDir, env }: SessionPlace): Promise<string | undefined> {
  if (env.CURSOR_TRANSCRIPT_PATH) return env.CURSOR_TRANSCRIPT_PATH;
  if (session === "") return undefined;
  const projects = join(homeDir, ".cursor", "projects");
  const found: { readonly path: string; readonly at: number }[] = [];
  for (const project of await namesIn(projects)) {
    const folder = join(projects, project, "agent-transcripts");
    for (const name of await namesIn(folder, true)) {
      if (!name.endsWith(".jsonl") || !name.includes(session)) continue;
      const path = join(folder, name);
      found.push({ path, at: (await stat(path)).mtimeMs });
    }
  }
  return found.sort((a, b) => b.at - a.at)[0]?.path;
}

async function namesIn(folder: string, recursive = false): Promise<string[]> {
  try {
    return await readdir(folder, { recursive });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}
