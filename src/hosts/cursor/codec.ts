import { compose } from "../compose.ts";
import { failWith } from "../failure.ts";
import type { Codec } from "../host.ts";
import { digEventName } from "../payload.ts";
import { parse } from "./parse.ts";
import { delegation, render } from "./render.ts";
import { PASSED, spell, support } from "./support.ts";

export const codec: Codec = {
  parse,
  current: delegation.current,
  render,
  compose,
  /** Exit 2 is a denial, with what stderr says as its reason; any other code lets through what does not fail closed. */
  fail: failWith({ support, passed: PASSED, spell }),
  eventName: (text) => digEventName(text, "hook_event_name"),
};
