import { compose } from "../compose.ts";
import { failWith } from "../failure.ts";
import type { Codec } from "../host.ts";
import { digEventName } from "../payload.ts";
import { parse } from "./parse.ts";
import { delegation, denial, render } from "./render.ts";
import { PASSED, support } from "./support.ts";

export const codec: Codec = {
  parse,
  current: delegation.current,
  render,
  compose,
  /** Exit 2 stops what guards; exit 1 is a warning on the screen and stops nothing. Stdout stays empty: some events act on it. */
  fail: failWith({ support, passed: PASSED }, (event, text) =>
    event === "PermissionRequest" ? denial(text) : undefined,
  ),
  eventName: (text) => digEventName(text, "hook_event_name"),
};
