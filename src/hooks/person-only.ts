/** Commands by which a person rules over the agent: an agent may not give itself trust. */
import { type Command, forEachChild, parse, type SyntaxNode } from "unbash";
import { hasTool } from "../core/event.ts";
import { NO_OPINION } from "../core/verdict.ts";
import type { BuiltinHook } from "./builtin.ts";

const PERSON_ONLY = ["trust", "uninstall", "pause", "allow-once", "approvals"];

export const personOnly: BuiltinHook = {
  name: "person-only",
  doc: "stops agents from running Holdfast commands that only a person may run",
  on: ["pre_tool_use"],
  guards: true,
  onError: "block",
  priority: 0,
  options: {},
  defaults: {},
  judge(event) {
    if (!hasTool(event) || event.tool.kind !== "shell" || !mentionsUs(event.tool.command)) return NO_OPINION;
    const verb = personOnlyVerb(event.tool.command);
    if (!verb) return NO_OPINION;
    return {
      opinion: {
        kind: "block",
        rule: "person-only",
        reason: `only a person may run \`holdfast ${verb}\`, at a terminal of their own.\nDo instead: tell the person what you need and why, and go on with other work.`,
      },
    };
  },
};

/** Cheap, and not fooled by quotes inside the word. */
const mentionsUs = (command: string) => command.replace(/["'\\]/g, "").includes("holdfast");

/** The person-only verb a command line would run, through wrappers, quotes and nested shells. */
function personOnlyVerb(command: string): string | undefined {
  let found: string | undefined;
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Command") found ??= verbOf(node);
    if (!found) forEachChild(node, visit);
  };
  visit(parse(command));
  return found;
}

function verbOf(node: Command): string | undefined {
  const words = [node.name, ...node.args].flatMap((word) => (word?.type === "Word" ? [word.value] : []));
  for (const [index, word] of words.entries()) {
    // `sh -c "holdfast trust"`, `script -c`, `ssh host "…"`: a word with blanks may be a command line itself.
    if (/\s/.test(word) && word.includes("holdfast") && MAY_RUN_TEXT.has(baseName(words[0] ?? ""))) {
      const inner = personOnlyVerb(word);
      if (inner) return inner;
    }
    if (!RUNS_HOLDFAST.test(word)) continue;
    const verb = words.slice(index + 1).find((next) => !next.startsWith("-"));
    if (verb && PERSON_ONLY.includes(verb) && (index === 0 || !READS_ONLY.has(baseName(words[0] ?? "")))) return verb;
  }
  return undefined;
}

const RUNS_HOLDFAST = /(?:^|\/)holdfast(?:@[\w.-]+)?$/;
const baseName = (program: string) => program.slice(program.lastIndexOf("/") + 1);
const MAY_RUN_TEXT = new Set(
  "sh bash dash zsh ksh env sudo su script ssh eval nohup xargs timeout watch parallel expect tmux screen setsid unbuffer python python3 perl ruby node".split(
    " ",
  ),
);
const READS_ONLY = new Set("echo printf grep rg cat man which type git gh ls".split(" "));
