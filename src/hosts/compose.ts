/** A payload of the kind event-readers.ts reads, made up: what `explain` and policy tests stand for. */
import type { EventName } from "../core/event.ts";
import type { JsonObject } from "../core/json.ts";
import type { Sample } from "./host.ts";

export function compose(sample: Sample): JsonObject | undefined {
  const fields = FIELDS[sample.on]?.(sample);
  return fields && { session_id: sample.session, cwd: sample.cwd, hook_event_name: sample.native, ...fields };
}

const called = ({ call, id }: Sample): JsonObject => ({
  tool_name: call?.tool ?? "",
  tool_input: call?.input ?? {},
  tool_use_id: id,
});

const FIELDS: { readonly [N in EventName]?: (sample: Sample) => JsonObject } = {
  pre_tool_use: called,
  permission_request: called,
  user_prompt_submit: ({ prompt = "" }) => ({ prompt }),
  session_start: () => ({ source: "startup" }),
  stop: ({ message = "" }) => ({ last_assistant_message: message, stop_hook_active: false }),
};
