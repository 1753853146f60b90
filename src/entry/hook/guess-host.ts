/** Registered without --host: the payload tells whose it is, where it cannot the environment does. */
import type { Environment } from "../../config/places.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Host, Moment } from "../../hosts/host.ts";
import { HOSTS, hostById } from "../../hosts/registry.ts";

export function guessHost(payload: JsonObject, moment: Moment): Host {
  const sure = HOSTS.find(({ owns }) => owns?.(payload, moment.env));
  if (sure) return sure;
  // A host that knows its own payloads has just said that this is none.
  const [only, ...others] = HOSTS.filter((host) => !host.owns && recognises(host, payload, moment));
  if (only && others.length === 0) return only;
  return markedHost(moment.env) ?? bySpelling(payload);
}

/** Knows the event and, where there is one, the tool. */
function recognises({ codec }: Host, payload: JsonObject, moment: Moment): boolean {
  try {
    const { unknownEvent, unknownTool } = codec.parse(payload, moment);
    return unknownEvent === undefined && unknownTool === undefined;
  } catch {
    return false;
  }
}

const markedHost = (env: Environment) => HOSTS.find(({ markers }) => markers.some((name) => env[name] !== undefined));

/** In doubt the host whose block is an exit code: that one is understood by all of them. */
const bySpelling = ({ transcript_path: transcript }: JsonObject) =>
  (typeof transcript === "string" ? hostById("claude-code") : hostById("kiro")) as Host;
