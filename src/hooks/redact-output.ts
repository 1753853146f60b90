/** Secrets in what a tool returned do not reach the model. */
import { sameJson } from "../core/json.ts";
import { redactJson } from "../core/redact.ts";
import { NO_OPINION } from "../core/verdict.ts";
import type { BuiltinHook } from "./builtin.ts";

export const redactOutput: BuiltinHook = {
  name: "redact-output",
  doc: "replaces secrets in what tools return, before the model sees it",
  on: ["post_tool_use"],
  answers: ["rewrite"],
  guards: true,
  optIn: true,
  // An output that could not be looked through is not shown.
  onError: "block",
  priority: 0,
  // What other hooks put into an output is looked through too.
  last: true,
  options: {},
  defaults: {},
  judge(event) {
    if (event.name !== "post_tool_use") return NO_OPINION;
    const clean = redactJson(event.response);
    return sameJson(clean, event.response) ? NO_OPINION : { ...NO_OPINION, rewrite: clean };
  },
};
