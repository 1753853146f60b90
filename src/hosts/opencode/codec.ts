import { failureText } from "../answer-text.ts";
import { compose } from "../compose.ts";
import { failsClosed } from "../delivery.ts";
import type { Codec, HostAnswer } from "../host.ts";
import { digEventName } from "../payload.ts";
import { parse } from "./parse.ts";
import { delegation, refusal, render } from "./render.ts";
import { PASSED, support } from "./support.ts";

export const codec: Codec = {
  parse,
  current: delegation.current,
  render,
  compose,
  fail,
  eventName: (text) => digEventName(text, "hook_event_name"),
};

/** The plugin throws what comes with exit 2, and only logs what comes with exit 1. */
function fail(event: string | undefined, message: string): HostAnswer {
  const blocks = failsClosed({ support, passed: PASSED }, event);
  const text = failureText(message, blocks);
  if (event === "permission.asked") return { stdout: JSON.stringify(refusal(text)), stderr: "", exitCode: 0 };
  return { stdout: "", stderr: text, exitCode: blocks ? 2 : 1 };
}
