/** Calls that a person must confirm: by the tool's name, or because whoever describes the tool says so of this call. */
import { list, type ShapeOf, text } from "../core/fields.ts";
import { NO_OPINION, type Verdict } from "../core/verdict.ts";
import type { BuiltinHook } from "./builtin.ts";
import { namesTool } from "./tool-glob.ts";

const OPTIONS = {
  tools: list(text(), "globs on a tool's name or kind, or `mcp:server/tool`; `*` is every tool"),
};
type Options = ShapeOf<typeof OPTIONS>;

export const requiresConfirmation: BuiltinHook = {
  name: "requires-confirmation",
  doc: "asks a person before the tools listed run, and before every call that is marked requires_confirmation",
  on: ["pre_tool_use"],
  answers: ["ask"],
  guards: true,
  onError: "block",
  priority: 10,
  options: OPTIONS,
  defaults: { tools: [] },
  judge(event, { options }) {
    if (event.name !== "pre_tool_use") return NO_OPINION;
    const { tools } = options as unknown as Options;
    if (isMarked(event.metadata?.requires_confirmation)) return ask(`${event.tool.name} is marked as needing a person`);
    return namesTool(tools, event.tool) ? ask(`${event.tool.name} needs a person's confirmation here`) : NO_OPINION;
  },
};

/** Only a clear no is a no. */
const isMarked = (mark: unknown) => mark !== undefined && mark !== false && mark !== null;

const ask = (why: string): Verdict => ({
  opinion: { kind: "ask", rule: "requires-confirmation", reason: `${why}.` },
});
