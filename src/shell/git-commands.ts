/** Commands that git runs in its turn. */
import { type Arg, arg, texts } from "./arg.ts";
import { commandInAddress, commandInSetting, GLOBAL_VALUES, givenSettings, keptSettings } from "./git-settings.ts";
import { readOptions } from "./options.ts";
import type { Unwrap, Unwrapped } from "./unwrapped.ts";

/** Its own commands, and those of the aliases it is given or told to keep: `-c alias.s='submodule foreach …' s`. */
export const git: Unwrap = (invocation) => {
  const found = [...startedBy(invocation)];
  const settings = [...givenSettings(invocation), ...keptSettings(invocation.args)];
  for (const { key, value } of settings.slice(0, MAX_ALIASES)) {
    if (!key.startsWith("alias.") || value.startsWith("!")) continue;
    const name = key.slice("alias.".length);
    const at = invocation.args.findIndex(({ text }) => text.toLowerCase() === name);
    const rest = at < 0 ? [] : invocation.args.slice(at + 1);
    found.push(...startedBy({ ...invocation, args: [...wordsOfAlias(value), ...rest] }));
  }
  return found;
};

const MAX_ALIASES = 64;

/** As git splits them: at blanks, but not between quotes. */
const wordsOfAlias = (value: string): Arg[] =>
  (value.match(/(?:\\.|"(?:\\.|[^"\\])*"|'[^']*'|[^\s"'\\])+/gs) ?? []).map((word) =>
    arg(
      word.replace(
        /\\(.)|"((?:\\.|[^"\\])*)"|'([^']*)'/gs,
        (_, escaped, double, single) => escaped ?? double?.replace(/\\(.)/gs, "$1") ?? single,
      ),
    ),
  );

/** Settings it is given, rebase --exec, bisect run, submodule foreach, filters, programs at the other end. */
const startedBy: Unwrap = (invocation) => {
  const { args } = invocation;
  const found: Unwrapped[] = [...givenSettings(invocation), ...keptSettings(args)].flatMap((setting) => {
    const script = commandInSetting(setting);
    return script ? [{ script, via: `git ${setting.key}` }] : [];
  });
  const words = texts(args);
  const talks = words.some((verb) => TALKS.test(verb));
  const has = { difftool: false, grep: false, rebase: false, clone: false, bisect: false, submodule: false };
  for (const word of words) if (Object.hasOwn(has, word)) has[word as keyof typeof has] = true;
  words.forEach((word, index) => {
    const next = args[index + 1];
    const differ = has.difftool ? DIFFTOOL_COMMAND.exec(word)?.[1] : undefined;
    if (differ !== undefined) found.push({ script: differ || (next?.text ?? ""), via: "git difftool" });
    const opener = has.grep ? /^(?:-O|--open-files-in-pager=)(.+)$/s.exec(word)?.[1] : undefined;
    if (opener) found.push({ script: opener, via: "git grep" });
    const step = has.rebase ? REBASE_COMMAND.exec(word)?.[1] : undefined;
    if (step !== undefined) found.push({ script: step || (next?.text ?? ""), via: "git rebase --exec" });
    const end = talks ? OTHER_END.exec(word)?.[1] : undefined;
    if (end !== undefined) found.push({ script: end || (next?.text ?? ""), via: "git at the other end" });
    const shortEnd = has.clone ? /^-u(.*)$/s.exec(word)?.[1] : undefined;
    if (shortEnd !== undefined) found.push({ script: shortEnd || (next?.text ?? ""), via: "git at the other end" });
    const address = word.startsWith("ext::") ? commandInAddress(word) : undefined;
    if (address !== undefined) found.push({ script: address, via: "git ext::" });
    if (next && word.endsWith("-filter") && /^--(tree|index|msg|env|commit|parent|tag-name)-filter$/.test(word))
      found.push({ script: next.text, via: "git filter-branch" });
  });
  if (has.bisect) for (const words of behind("bisect", "run", args)) found.push({ words, via: "git bisect run" });
  if (has.submodule)
    for (const words of behind("submodule", "foreach", args)) {
      const command = words.filter(({ text }) => text !== "--recursive" && text !== "--quiet");
      found.push({ script: joinedText(command), via: "git submodule foreach" });
    }
  return found;
};

/** As git reads its words; and, should it read an option otherwise, behind the first that say so. No more: each holds the rest. */
function behind(verb: string, word: string, args: readonly Arg[]): readonly (readonly Arg[])[] {
  const [given, ...rest] = readOptions(args, { valued: GLOBAL_VALUES, stopAtOperand: true }).operands;
  const [first, ...read] = readOptions(rest, { stopAtOperand: true }).operands;
  const words = texts(args);
  const at = words.indexOf(word, words.indexOf(verb) + 1);
  const guessed = at < 0 ? [] : args.slice(at + 1);
  const isRead = given?.text === verb && first?.text === word;
  if (!isRead || read.length === guessed.length) return at < 0 ? [] : [guessed];
  return [read, guessed];
}

/** An option and its value, glued to it or after `=`; empty where the next word is the value. */
const DIFFTOOL_COMMAND = /^(?:--ext(?:c|cm|cmd)?(?:=|$)|-[dgy]*x)(.*)$/s;
const REBASE_COMMAND = /^(?:--exec?(?:=|$)|-[ifkmnqv]*x)(.*)$/s;

/** What runs where the repository is, which may be here. */
const OTHER_END = /^--(?:upload-pack|receive-pack|exec)(?:=|$)(.*)$/s;
const TALKS = /^(?:clone|fetch|pull|push|ls-remote|fetch-pack|send-pack|archive)$/;

const joinedText = (words: readonly Arg[]) => texts(words).join(" ");
