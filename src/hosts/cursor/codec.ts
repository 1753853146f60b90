import { failureText } from "../answer-text.ts";
import { compose } from "../compose.ts";
import { failsClosed } from "../delivery.ts";
import type { Codec, HostAnswer } from "../host.ts";
import { digEventName } from "../payload.ts";
import { parse } from "./parse.ts";
import { delegation, render } from "./render.ts";
import { PASSED, spell, support } from "./support.ts";

export const codec: Codec = {
  parse,
  current: delegation.current,
  render,
  compose,
  fail,
  eventName: (text) => digEventName(text, "hook_event_name"),
};

/** Exit 2 is a denial, with what stderr says as its reason; any other code lets through what does not fail closed. */
function fail(event: string | undefined, message: string): HostAnswer {
  const blocks = failsClosed({ support, passed: PASSED, spell }, event);
  return { stdout: "", stderr: failureText(message, blocks), exitCode: blocks ? 2 : 1 };
}
