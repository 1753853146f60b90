/** MCP's tool annotations, as whoever fires the event vouches for them. */
import { isJsonObject, type JsonObject } from "../core/json.ts";

/** undefined: they do not say whether the tool only reads. What says that it writes is believed first. */
export function readOnlyHint(metadata: JsonObject | undefined): boolean | undefined {
  if (metadata === undefined) return undefined;
  const said = isJsonObject(metadata.annotations) ? [metadata, metadata.annotations] : [metadata];
  if (said.some((by) => by.readOnlyHint === false || by.destructiveHint === true)) return false;
  return said.some((by) => by.readOnlyHint === true) ? true : undefined;
}
