import type { JsonObject } from "../../core/json.ts";
import { failWith } from "../failure.ts";
import type { Codec, Sample } from "../host.ts";
import { digEventName } from "../payload.ts";
import { parse } from "./parse.ts";
import { delegation, denial, render } from "./render.ts";
import { PASSED, support } from "./support.ts";

export const codec: Codec = {
  parse,
  current: delegation.current,
  render,
  compose,
  /** A block that is an exit code would hide its reason from the model, and not stop a prompt at all. */
  fail: failWith({ support, passed: PASSED }, denial),
  eventName: (text) => digEventName(text, "hook_event_name"),
};

function compose(sample: Sample): JsonObject | undefined {
  const fields = FIELDS[sample.on]?.(sample);
  return fields && { sessionId: sample.session, timestamp: 0, cwd: sample.cwd, ...fields };
}

const FIELDS: { readonly [N in Sample["on"]]?: (sample: Sample) => JsonObject } = {
  pre_tool_use: ({ call }) => ({ toolName: call?.tool ?? "", toolArgs: call?.input ?? {} }),
  permission_request: ({ call }) => ({
    hookName: "permissionRequest",
    toolName: call?.tool ?? "",
    toolInput: call?.input ?? {},
  }),
  user_prompt_submit: ({ prompt = "" }) => ({ prompt }),
  session_start: () => ({ source: "new" }),
  stop: () => ({ stopReason: "end_turn", stop_hook_active: false }),
};
