import { failureText } from "../answer-text.ts";
import { compose } from "../compose.ts";
import { failsClosed } from "../delivery.ts";
import type { Codec, HostAnswer } from "../host.ts";
import { digEventName } from "../payload.ts";
import { parse } from "./parse.ts";
import { render } from "./render.ts";
import { PASSED, support } from "./support.ts";

export const codec: Codec = {
  parse,
  current: ({ events }) => events,
  render,
  compose,
  fail,
  eventName: (text) => digEventName(text, "hook_event_name"),
};

/** Our plugin takes exit 2 for a block wherever one is possible, and exit 1 for a remark to the person. */
function fail(event: string | undefined, message: string): HostAnswer {
  const blocks = failsClosed({ support, passed: PASSED }, event);
  return { stdout: "", stderr: failureText(message, blocks), exitCode: blocks ? 2 : 1 };
}
