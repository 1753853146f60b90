/** MCP's tool annotations, as whoever fires the event vouches for them. */
import { isJsonObject, type JsonObject } from "../core/json.ts";

/** undefined: they do not say whether the tool only reads. What says that it writes is believed first. */
export function readOnlyHint(metadata: JsonObject = {}): boolean | undefined {
  const annotations = isJsonObject(metadata.annotations) ? { ...metadata.annotations, ...metadata } : metadata;
  if (annotations.readOnlyHint === false || annotations.destructiveHint === true) return false;
  return annotations.readOnlyHint === true ? true : undefined;
}
