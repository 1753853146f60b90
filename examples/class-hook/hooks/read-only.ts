/** A hook as a class: no tool may write while the project is frozen. */
import { type HookContext, PreToolUseHook } from "holdfast";

export default class ReadOnly extends PreToolUseHook {
  override name = "read-only";
  override priority = 10;

  override shouldTrigger({ event }: HookContext<"pre_tool_use">) {
    return ["write", "edit"].includes(event.tool.kind);
  }

  override async execute() {
    return {
      allow: false,
      error: "The project is frozen for the release.\nDo instead: describe the change in your answer.",
    };
  }
}
