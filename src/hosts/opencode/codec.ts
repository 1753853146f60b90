import { compose } from "../compose.ts";
import { failWith } from "../failure.ts";
import type { Codec } from "../host.ts";
import { digEventName } from "../payload.ts";
import { parse } from "./parse.ts";
import { delegation, refusal, render } from "./render.ts";
import { PASSED, support } from "./support.ts";

export const codec: Codec = {
  parse,
  current: delegation.current,
  render,
  compose,
  /** The plugin throws what comes with exit 2, and only logs what comes with exit 1. */
  fail: failWith({ support, passed: PASSED }, (event, text) =>
    event === "permission.asked" ? refusal(text) : undefined,
  ),
  eventName: (text) => digEventName(text, "hook_event_name"),
};
