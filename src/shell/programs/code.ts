/** Effects of code in interpreters: files it deletes, writes, moves; text it sends. */
import { type Arg, UNKNOWN } from "../arg.ts";
import { codeDeeds, mayHoldCode, runningOf } from "../code.ts";
import type { CommandEffect } from "../effect.ts";
import type { Invocation } from "../invocation.ts";
import { has } from "../options.ts";
import type { ProgramContext } from "../programs.ts";
import { secretOf } from "../secret-files.ts";
import { sqlEffects } from "../sql.ts";
import { isDevice } from "./redirects.ts";
import { killEffect } from "./system.ts";

export function codeEffects(invocation: Invocation, context: ProgramContext): CommandEffect[] {
  if (!mayHoldCode(invocation.program)) return [];
  const { target } = context;
  const effects = codeDeeds(invocation).flatMap((deed): readonly CommandEffect[] => {
    switch (deed.type) {
      case "delete":
        return [{ type: "delete", path: target(deed.path), recursive: deed.recursive }];
      case "overwrite": {
        const path = target(deed.path);
        return [
          isDevice(path.path)
            ? { type: "device", path, deed: "write" }
            : { type: "overwrite", path, append: deed.append },
        ];
      }
      case "read":
        return [{ type: "read", path: target(deed.path) }];
      case "move":
        return [{ type: "move", from: target(deed.from), to: target(deed.to) }];
      case "permissions":
        return [{ type: "permissions", path: target(deed.path), recursive: false, mode: deed.mode }];
      case "kill":
        return [killEffect(deed.target, deed.signal)];
      case "fork-bomb":
        return [{ type: "system", deed: "fork-bomb", detail: "starts itself again and again" }];
      case "remote-code":
        return [{ type: "run-remote-code", source: deed.source.replaceAll(UNKNOWN, "$…") }];
      case "hidden-code":
        return [{ type: "run-hidden-code", how: deed.how }];
      case "sql":
        return sqlEffects(deed.text);
      case "send":
        return sendEffects(deed, target);
      default:
        return [];
    }
  });
  return [...effects, ...inPlaceEffects(invocation, context)];
}

function sendEffects(
  { to, files, environment }: { to: string; files: readonly Arg[]; environment: boolean },
  target: ProgramContext["target"],
): CommandEffect[] {
  const secret = environment ? "the whole environment" : files.map((file) => secretOf(target(file))).find(Boolean);
  return secret ? [{ type: "exfiltrate", secret, to: to.replaceAll(UNKNOWN, "$…") }] : [];
}

/** `perl -pi -e …  files`, `ruby -i -pe … files`. */
function inPlaceEffects(invocation: Invocation, { target }: ProgramContext): CommandEffect[] {
  if (!/^(perl|ruby)/.test(invocation.program)) return [];
  const running = runningOf(invocation);
  if (!running || running.code.length === 0) return [];
  if (!has(running.options, "i"))
    return has(running.options, "p", "n")
      ? running.options.operands.map((file) => ({ type: "read", path: target(file) }))
      : [];
  return running.options.operands.map((file) => ({ type: "overwrite", path: target(file), append: true }));
}
