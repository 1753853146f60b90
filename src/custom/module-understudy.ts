/** Stands in for a person's hook where a call is made up: V8 optimises what is around hooks, and none of theirs runs. */
import { defineHook } from "./define-hook.ts";
import { type ModuleHook, readModule } from "./module-definition.ts";

/** Silent and rewriting by turns: hooks do either, and a rewrite has the most to be done for it. */
export function understudy(): ModuleHook {
  let isSilent = false;
  const definition = defineHook({
    name: "understudy",
    on: ["pre_tool_use"],
    judge({ name, tool }) {
      isSilent = !isSilent;
      if (isSilent || name !== "pre_tool_use" || tool.kind !== "shell") return undefined;
      return { rewrite: { command: `${tool.command} # rehearsed` } };
    },
  });
  const [hook] = readModule({ default: definition }, "understudy");
  return hook as ModuleHook;
}
