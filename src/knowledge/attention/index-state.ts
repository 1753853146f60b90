/** Whether the generated pages still fit the nodes, asked at every session start: files that did not change are not read. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { isJsonObject, type Json } from "../../core/json.ts";
import { readIfThere, writePrivately } from "../background/private-file.ts";
import { parseFrontMatter } from "../base/front-matter.ts";
import { listNodeFiles } from "../base/node-files.ts";
import { nodesHash } from "../base/nodes-hash.ts";
import type { KnowledgePlaces } from "../places.ts";

/** More than these are hashed by the lint tick in the background, not while a host waits. */
const MAX_FILES_AT_ONCE = 2_000;

const cacheFile = ({ stateDir }: KnowledgePlaces) => join(stateDir, "nodes-seen.json");

/** undefined: nobody knows without reading more than a host waits for. */
export function isIndexStaleSoon(places: KnowledgePlaces, maxFiles = MAX_FILES_AT_ONCE): boolean | undefined {
  const text = readIfThere(places.entryFile);
  const parsed = text === undefined ? undefined : parseFrontMatter(text);
  // Without a catalogue the catalogue itself says so.
  if (parsed === undefined || typeof parsed === "string" || typeof parsed.data.nodes_hash !== "string") return false;
  const hash = hashSoon(places, maxFiles);
  return hash === undefined ? undefined : hash !== parsed.data.nodes_hash;
}

function hashSoon(places: KnowledgePlaces, maxFiles: number): string | undefined {
  const { files } = listNodeFiles(places.nodesDir);
  const signature = createHash("sha256");
  for (const { path, mtimeMs, ctimeMs, size } of files) signature.update(`${path}\0${mtimeMs}\0${ctimeMs}\0${size}\n`);
  const seen = signature.digest("hex");
  const cached = readCache(places);
  if (cached?.seen === seen) return cached.hash;
  if (files.length > maxFiles) return undefined;
  const hash = nodesHash(places.nodesDir);
  try {
    writePrivately(cacheFile(places), `${JSON.stringify({ schema_version: 1, seen, hash })}\n`);
  } catch {
    // Then it is made anew the next time.
  }
  return hash;
}

function readCache(places: KnowledgePlaces): { seen: string; hash: string } | undefined {
  try {
    const value = JSON.parse(readIfThere(cacheFile(places)) ?? "null") as Json;
    const isOne = isJsonObject(value) && typeof value.seen === "string" && typeof value.hash === "string";
    return isOne ? { seen: String(value.seen), hash: String(value.hash) } : undefined;
  } catch {
    return undefined;
  }
}
