import type { JsonObject } from "../../core/json.ts";
import { failureText } from "../answer-text.ts";
import { compose } from "../compose.ts";
import { failsClosed } from "../delivery.ts";
import type { Codec, HostAnswer, Sample } from "../host.ts";
import { digEventName } from "../payload.ts";
import { parse } from "./parse.ts";
import { delegation, render } from "./render.ts";
import { PASSED, support } from "./support.ts";

export const codec: Codec = {
  parse,
  current: delegation.current,
  render,
  compose: composed,
  fail,
  eventName: (text) => digEventName(text, "hook_event_name"),
};

/** Exit 2 stops what guards, as long as something is on stderr, and exit 1 is a warning. Text on stdout would go before. */
function fail(event: string | undefined, message: string): HostAnswer {
  const blocks = failsClosed({ support, passed: PASSED }, event);
  return { stdout: "", stderr: failureText(message, blocks), exitCode: blocks ? 2 : 1 };
}

/** The agent's last words stand under a name of Gemini CLI's own. */
function composed(sample: Sample): JsonObject | undefined {
  const payload = compose(sample);
  return payload && sample.on === "stop" ? { ...payload, prompt_response: sample.message ?? "" } : payload;
}
