/** Verbs that run the repository's hooks, or say where they are. */
import { type Arg, isKnown } from "../arg.ts";
import { readOptions } from "../options.ts";
import { did, gives, type Verb } from "./git-call.ts";

export const commit: Verb = ({ args }) => {
  const options = readOptions(args, {
    valued: ["m", "message", "F", "file", "C", "c", "author", "date", "t", "template", "fixup", "squash", "trailer"],
  });
  return gives(options, "n", "no-verify", 4) ? [did("bypass-hooks", "commit")] : [];
};

export const merge: Verb = ({ args }) => {
  const options = readOptions(args, { valued: ["m", "F", "s", "strategy", "X", "strategy-option", "S"] });
  return gives(options, "", "no-verify", 6) ? [did("bypass-hooks", "merge")] : [];
};

/** Hooks of the repository itself (`.husky`, `.githooks`) are set up this way every day; elsewhere is another matter. */
export const setConfig: Verb = ({ args }) => {
  const { operands, given } = readOptions(args, { valued: ["f", "file", "blob", "type", "default", "comment"] });
  if ([...given].some((name) => /^(get|unset|list$|l$|remove-section|rename-section)/.test(name))) return [];
  const [key, value] = operands[0]?.text === "set" ? operands.slice(1) : operands;
  if (!key || !value || key.text.toLowerCase() !== "core.hookspath") return [];
  return leadsAway(value) ? [did("redirect-hooks", value.text)] : [];
};

export const leadsAway = (path: Arg) => !isKnown(path) || path.text === "" || /^[/~]|(^|\/)\.\.(\/|$)/.test(path.text);
