import { compose } from "../compose.ts";
import { failWith } from "../failure.ts";
import type { Codec } from "../host.ts";
import { digEventName } from "../payload.ts";
import { parse } from "./parse.ts";
import { render } from "./render.ts";
import { PASSED, support } from "./support.ts";

export const codec: Codec = {
  parse,
  current: ({ events }) => events,
  render,
  compose,
  /** Exit 2 is a block, any other code a warning on the screen. */
  fail: failWith({ support, passed: PASSED, spell: (name) => name.toLowerCase() }),
  eventName: (text) => digEventName(text, "hook_event_name"),
};
