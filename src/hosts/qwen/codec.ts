import type { JsonObject } from "../../core/json.ts";
import { compose } from "../compose.ts";
import { failWith } from "../failure.ts";
import type { Codec } from "../host.ts";
import { digEventName } from "../payload.ts";
import { parse } from "./parse.ts";
import { delegation, deniedPermission, render, stoppedCall } from "./render.ts";
import { PASSED, support } from "./support.ts";

export const codec: Codec = {
  parse,
  current: delegation.current,
  render,
  compose,
  /** Exit 2 with a text stops prompts and what cannot be made out; exit 1 is a warning and stops nothing. */
  fail: failWith({ support, passed: PASSED }, denial),
  eventName: (text) => digEventName(text, "hook_event_name"),
};

function denial(event: string, text: string): JsonObject | undefined {
  if (event === "PreToolUse") return stoppedCall("deny", text);
  return event === "PermissionRequest" ? deniedPermission(text) : undefined;
}
