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

/** Exit 2 is a block, any other code a warning on the screen. */
function fail(event: string | undefined, message: string): HostAnswer {
  const blocks = failsClosed({ support, passed: PASSED, spell: (name) => name.toLowerCase() }, event);
  return { stdout: "", stderr: failureText(message, blocks), exitCode: blocks ? 2 : 1 };
}
