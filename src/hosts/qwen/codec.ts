import { failureText } from "../answer-text.ts";
import { compose } from "../compose.ts";
import { failsClosed } from "../delivery.ts";
import type { Codec, HostAnswer } from "../host.ts";
import { digEventName } from "../payload.ts";
import { parse } from "./parse.ts";
import { delegation, deniedPermission, render, stoppedCall } from "./render.ts";
import { PASSED, support } from "./support.ts";

export const codec: Codec = {
  parse,
  current: delegation.current,
  render,
  compose,
  fail,
  eventName: (text) => digEventName(text, "hook_event_name"),
};

/** Exit 2 with a text stops prompts and what cannot be made out; exit 1 is a warning and stops nothing. */
function fail(event: string | undefined, message: string): HostAnswer {
  const blocks = failsClosed({ support, passed: PASSED }, event);
  const text = failureText(message, blocks);
  const spoken = event === "PreToolUse" ? stoppedCall("deny", text) : undefined;
  const json = event === "PermissionRequest" ? deniedPermission(text) : spoken;
  if (json) return { stdout: JSON.stringify(json), stderr: "", exitCode: 0 };
  return { stdout: "", stderr: text, exitCode: blocks ? 2 : 1 };
}
