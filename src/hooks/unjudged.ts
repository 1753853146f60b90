/** Whether a program would set the variable under which no rule is asked. Its name may be looked for and spoken of. */
import { runningOf } from "../shell/code.ts";
import type { Invocation } from "../shell/invocation.ts";

/** Law 11: what Holdfast starts for itself is not judged. */
export const UNJUDGED = "HOLDFAST_INTERNAL";

export function setsUnjudged(invocation: Invocation): boolean {
  const { program, args, env } = invocation;
  if (env.has(UNJUDGED)) return true;
  if (runningOf(invocation)?.code.some((code) => code.includes(UNJUDGED))) return true;
  const words = args.map(({ text }) => text);
  if (!words.some((word) => word.includes(UNJUDGED))) return false;
  if (SEARCHES.test(program)) return false;
  if (HOLDS_CODE.test(program) || words.some((word) => ASSIGNS.test(word) || REFERS.test(word))) return true;
  if (SETS_BY_NAME.test(program) && words.includes(UNJUDGED)) return true;
  if (program === "printf") return words[0] === `-v${UNJUDGED}` || (words[0] === "-v" && words[1] === UNJUDGED);
  return words.some((word, index) => handsOn(word, words[index - 1] ?? ""));
}

/** `NAME=1`, `-eNAME=1`, `--env=NAME=1`. */
const ASSIGNS = new RegExp(`^(?:-\\w*[eE]|--[\\w-]+=)?${UNJUDGED}\\+?=`);

/** `declare -n other=NAME`: who sets the other sets this one. */
const REFERS = new RegExp(`^\\w+=${UNJUDGED}$`);

const SETS_BY_NAME = /^(export|declare|typeset|local|readonly|read|mapfile|readarray|getopts|set|setenv)$/;

/** Editors and shells of other systems, whose language we do not read for variables. */
const HOLDS_CODE = /^(vim?|nvim|gvim|ex|emacs|emacsclient|powershell|pwsh|osascript)(\.exe)?$/i;

/** What they are given is what is looked for; commands inside it are looked at by themselves. */
const SEARCHES = /^([efz]|bz|xz)?grep$|^(rg|ag|ack|git|sed)$/;

/** `-e NAME`, `--env NAME`, `-eNAME`, `--env=NAME`: a container gets the variable with the value it has here. */
const handsOn = (word: string, before: string) =>
  word === UNJUDGED
    ? /^(-\w*[eE]|--(set-?)?env)$/.test(before)
    : new RegExp(`^(-\\w*[eE]|--(set-?)?env=)${UNJUDGED}$`).test(word);
