/** What a command hook may print on stdout, event by event. The check, the types and the published schemas derive from it. */
import type { EventName } from "../core/event.ts";
import {
  anyJson,
  type Field,
  type Fields,
  flag,
  map,
  nullable,
  object,
  oneOf,
  optional,
  type ShapeOf,
  text,
} from "../core/fields.ts";
import type { JsonObject } from "../core/json.ts";

export function answerFields(event: EventName): Fields {
  const { top, specific } = SHAPES[event];
  const nested = specific && {
    hook_specific_output: said(object({ hook_event_name: oneOf([event], "the event"), ...specific })),
  };
  return { ...UNIVERSAL, ...top, ...nested };
}

/** Values that contradict each other when they stand in one answer. */
export function contradictions(event: EventName): readonly JsonObject[] {
  return event === "stop"
    ? [
        { go_on: true, halt: true },
        { decision: "block", halt: true },
      ]
    : [];
}

/** May be left out, and may be null. */
const said = <T>(field: Field<T, false>) => optional(nullable(field));

const UNIVERSAL = {
  continue: optional(flag("on stop, false asks for another step; elsewhere it changes nothing")),
  stop_reason: said(text("on stop, what the next step is to do")),
  system_message: said(text("shown to the person")),
};

const REASON = { reason: said(text("why, for the model and the person")) };
const BLOCK = { decision: said(oneOf(["block"], "block: what the event is about must not happen")), ...REASON };
const APPROVAL = { decision: said(oneOf(["approve", "block"], "what the hook thinks of the call")), ...REASON };
const STOP = {
  go_on: said(flag("true: the turn must not end yet")),
  halt: said(flag("true: the agent must stop, whatever other hooks ask for")),
};
const MUTATE = { mutate: said(map(anyJson(), "changes to the run")) };
const EXIT = { action: said(oneOf(["continue"], "a run that ended cannot be blocked")), ...MUTATE };
const ATTEMPT = {
  action: said(oneOf(["continue", "reinvoke", "block"], "what the run does next")),
  follow_up_prompt: said(text("with reinvoke: the prompt of the next attempt")),
  ...REASON,
  ...MUTATE,
};
const TASK = { accept: said(flag("false: the edit is rolled back")), ...REASON, ...MUTATE };

const CONTEXT = { additional_context: said(text("a text for the model")) };
const PERMISSION_DECISION = {
  permission_decision: said(oneOf(["allow", "deny", "ask"], "what the hook thinks of the call")),
  permission_decision_reason: said(text("why, for the model and the person")),
};
const UPDATED_INPUT = { updated_input: optional(anyJson("the whole new input of the call; null: as it is")) };
const UPDATED_OUTPUT = { updated_output: optional(anyJson("what the model sees instead of the output")) };
const PERMISSION = {
  decision: said(
    object(
      { behavior: oneOf(["allow", "deny"], "the answer to the request"), message: said(text("why")) },
      "the answer in the person's place",
    ),
  ),
};
const DELEGATION = {
  updated_delegation: said(
    object(
      {
        target_agent_id: said(text("the sub-agent to ask instead")),
        objective: said(text("what it is asked to do")),
        context: said(text("background given to it")),
        constraints: said(text("limits given to it")),
        expected_output: said(text("what it is to hand back")),
      },
      "the fields of the request that change",
    ),
  ),
};

const SHAPES: { readonly [E in EventName]: { readonly top?: Fields; readonly specific?: Fields } } = {
  session_start: { specific: CONTEXT },
  session_end: {},
  user_prompt_submit: { top: BLOCK, specific: CONTEXT },
  pre_tool_use: { top: APPROVAL, specific: { ...PERMISSION_DECISION, ...UPDATED_INPUT, ...CONTEXT } },
  permission_request: { specific: PERMISSION },
  post_tool_use: { top: BLOCK, specific: { ...UPDATED_OUTPUT, ...CONTEXT } },
  pre_compaction: { top: BLOCK, specific: CONTEXT },
  post_compaction: { specific: CONTEXT },
  pre_delegation: { top: BLOCK, specific: { ...DELEGATION, ...CONTEXT } },
  delegation_start: { specific: CONTEXT },
  post_delegation: { specific: CONTEXT },
  delegation_failure: { specific: CONTEXT },
  stop: { top: { ...BLOCK, ...STOP }, specific: CONTEXT },
  notification: {},
  prepare: { top: ATTEMPT },
  before_attempt: { top: ATTEMPT },
  after_attempt: { top: ATTEMPT },
  after_exit: { top: EXIT },
  task_transition: { top: TASK },
};

/** An answer that fits its event's fields, whichever event that is. */
export type WireAnswer = ShapeOf<typeof UNIVERSAL & typeof APPROVAL & typeof STOP & typeof ATTEMPT & typeof TASK> & {
  readonly hook_specific_output?: SpecificAnswer | null;
};

export type SpecificAnswer = ShapeOf<
  typeof CONTEXT &
    typeof PERMISSION_DECISION &
    typeof UPDATED_INPUT &
    typeof UPDATED_OUTPUT &
    typeof PERMISSION &
    typeof DELEGATION
>;
