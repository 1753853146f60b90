/**
 * A program's own hooks beside ours. The SDK runs all at once and takes the change of whichever ends last: so what one of
 * them makes of a call, or of its output, is judged before the SDK hears of it. What they say otherwise stays theirs.
 */
import type { JsonObject } from "../core/json.ts";

// biome-ignore lint/suspicious/noExplicitAny: the SDK's own types are not imported
type Loose = any;

export type OwnHooks = Readonly<Record<string, Loose>>;

/** Asks our hooks about a payload of the SDK; the answer is in the SDK's form. */
type Judge = (event: string, payload: JsonObject, id: string | undefined, signal: AbortSignal) => Promise<JsonObject>;

type Judged = (
  said: Loose,
  payload: JsonObject,
  judge: (event: string, payload: JsonObject) => Promise<Loose>,
) => unknown;

const JUDGED: Readonly<Record<string, Judged>> = {
  PreToolUse: judgedInput,
  PermissionRequest: judgedPermission,
  PostToolUse: judgedOutput,
};

export function judgedOwnHooks(hooks: OwnHooks, judge: Judge): OwnHooks {
  return Object.fromEntries(
    Object.entries(hooks).map(([event, matchers]) => {
      const judged = Object.hasOwn(JUDGED, event) ? JUDGED[event] : undefined;
      return [event, judged ? matchers.map((matcher: Loose) => around(matcher, judged, judge)) : matchers];
    }),
  );
}

const around = (matcher: Loose, judged: Judged, judge: Judge): Loose => ({
  ...matcher,
  hooks: matcher.hooks.map((own: Loose) => async (payload: JsonObject, id: string | undefined, options: Loose) => {
    const said = await own(payload, id, options);
    const signal: AbortSignal = options?.signal ?? new AbortController().signal;
    return judged(said, payload, (event, changed) => judge(event, changed, id, signal));
  }),
});

async function judgedInput(said: Loose, payload: JsonObject, judge: Parameters<Judged>[2]): Promise<unknown> {
  const own = said?.hookSpecificOutput;
  if (own?.updatedInput === undefined || own.permissionDecision === "deny") return said;
  const ours = await judge("PreToolUse", { ...payload, tool_input: own.updatedInput });
  if (ours.decision === "block") return ours;
  const { permissionDecision: decision, ...rest } = ours.hookSpecificOutput ?? {};
  const isOurs = strictness(decision) > strictness(own.permissionDecision);
  return {
    ...said,
    ...ours,
    hookSpecificOutput: {
      ...own,
      ...rest,
      ...(isOurs ? { permissionDecision: decision } : reasonOf(own)),
      ...contextOf(own, rest),
    },
  };
}

/** Whoever allows a call allows the one that was asked about: what hooks say of another is no question any more. */
async function judgedPermission(said: Loose, payload: JsonObject, judge: Parameters<Judged>[2]): Promise<unknown> {
  const changed = said?.hookSpecificOutput?.decision?.updatedInput;
  if (changed === undefined) return said;
  const ours = await judge("PreToolUse", { ...payload, hook_event_name: "PreToolUse", tool_input: changed });
  const { permissionDecision, permissionDecisionReason, updatedInput } = ours.hookSpecificOutput ?? {};
  const mayRun = permissionDecision === undefined || permissionDecision === "allow";
  if (mayRun && updatedInput === undefined && ours.decision === undefined) return said;
  const message =
    permissionDecisionReason ?? ours.reason ?? "Hooks would change this call, so it was not allowed as it is.";
  return { hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "deny", message } } };
}

async function judgedOutput(said: Loose, payload: JsonObject, judge: Parameters<Judged>[2]): Promise<unknown> {
  const { updatedToolOutput, updatedMCPToolOutput, ...own } = said?.hookSpecificOutput ?? {};
  const changed = updatedToolOutput ?? updatedMCPToolOutput;
  if (changed === undefined) return said;
  const ours = await judge("PostToolUse", { ...payload, tool_response: changed });
  const judged = ours.hookSpecificOutput ?? {};
  const isKept = judged.updatedToolOutput === undefined && ours.decision !== "block";
  const kept = isKept ? said.hookSpecificOutput : own;
  return { ...said, ...ours, hookSpecificOutput: { ...kept, ...judged, ...contextOf(own, judged) } };
}

const STRICTNESS = ["allow", "ask", "defer", "deny"];
const strictness = (decision: unknown) => STRICTNESS.indexOf(String(decision));

const reasonOf = ({ permissionDecisionReason: reason }: Loose) =>
  reason === undefined ? {} : { permissionDecisionReason: reason };

function contextOf(...outputs: readonly Loose[]): { readonly additionalContext?: string } {
  const texts = outputs.flatMap(({ additionalContext }) =>
    additionalContext === undefined ? [] : [additionalContext],
  );
  return texts.length === 0 ? {} : { additionalContext: texts.join("\n\n") };
}
