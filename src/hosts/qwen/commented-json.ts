/** Qwen Code takes comments in its files, and a byte order mark before them. */
import type { JsonObject } from "../../core/json.ts";
import { objectIn as commentedObjectIn } from "../commented-json.ts";

export const objectIn = (text: string, path: string): JsonObject =>
  commentedObjectIn(text.replace(/^\uFEFF/, ""), path);
