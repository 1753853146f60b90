import { compose } from "../compose.ts";
import { failWith } from "../failure.ts";
import type { Codec } from "../host.ts";
import { digEventName } from "../payload.ts";
import { parse } from "./parse.ts";
import { delegation, endedTurn, render } from "./render.ts";
import { PASSED, support } from "./support.ts";

export const codec: Codec = {
  parse,
  current: delegation.current,
  render,
  compose,
  /** Exit 2 with a text stops what guards; exit 1 is a warning and stops nothing. */
  fail: failWith({ support, passed: PASSED }, (event, text) => (event === "PreCompact" ? endedTurn(text) : undefined)),
  eventName: (text) => digEventName(text, "hook_event_name"),
};
