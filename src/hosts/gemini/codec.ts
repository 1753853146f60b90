import type { JsonObject } from "../../core/json.ts";
import { compose } from "../compose.ts";
import { failWith } from "../failure.ts";
import type { Codec, Sample } from "../host.ts";
import { digEventName } from "../payload.ts";
import { parse } from "./parse.ts";
import { delegation, render } from "./render.ts";
import { PASSED, support } from "./support.ts";

export const codec: Codec = {
  parse,
  current: delegation.current,
  render,
  compose: composed,
  /** Exit 2 stops what guards, as long as something is on stderr, and exit 1 is a warning. Text on stdout would go before. */
  fail: failWith({ support, passed: PASSED }),
  eventName: (text) => digEventName(text, "hook_event_name"),
};

/** The agent's last words stand under a name of Gemini CLI's own. */
function composed(sample: Sample): JsonObject | undefined {
  const payload = compose(sample);
  return payload && sample.on === "stop" ? { ...payload, prompt_response: sample.message ?? "" } : payload;
}
