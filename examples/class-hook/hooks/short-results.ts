/** Long shell output is cut before it fills the model's context. */
import { type HookContext, PostToolUseHook } from "holdfast";

const MAX_CHARACTERS = 200;

export default class ShortResults extends PostToolUseHook {
  override name = "short-results";
  override toolFilter = "shell";

  override async execute({ toolResult }: HookContext<"post_tool_use">) {
    const text = typeof toolResult === "string" ? toolResult : String((toolResult as { stdout?: string }).stdout ?? "");
    if (text.length <= MAX_CHARACTERS) return {};
    return { modifiedResult: `${text.slice(0, MAX_CHARACTERS)}… (${text.length} characters)` };
  }
}
