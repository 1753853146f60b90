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
  /** Our plugin takes exit 2 for a block wherever one is possible, and exit 1 for a remark to the person. */
  fail: failWith({ support, passed: PASSED }),
  eventName: (text) => digEventName(text, "hook_event_name"),
};
