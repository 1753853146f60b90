/** Code from elsewhere, hidden code, and script files: what is run, whatever runs it. */
import { isKnown } from "../arg.ts";
import { type CommandEffect, PROGRAM_IN_IT } from "../effect.ts";
import { addressOf, executedBy, isFetcher, isShell, sourcesOf } from "../executed.ts";
import type { Invocation } from "../invocation.ts";
import { inputText, printedText } from "../printed-text.ts";
import type { ProgramContext } from "../programs.ts";

export function executionEffects(invocation: Invocation, context: ProgramContext): CommandEffect[] {
  const { searched } = invocation;
  const own = executedEffects(invocation, context);
  if (!searched) return own;
  const found = searched.filter(isKnown).map(
    (directory): CommandEffect => ({
      type: "run-script",
      path: context.target(directory),
      interpreter: PROGRAM_IN_IT,
    }),
  );
  return [...own, ...found];
}

function executedEffects(invocation: Invocation, { target }: ProgramContext): CommandEffect[] {
  const executed = executedBy(invocation);
  if (!executed) return [];
  const socket = isShell(invocation.program)
    ? invocation.redirects.find(({ target: to }) => /^\/dev\/(tcp|udp)\//.test(to.text))
    : undefined;
  if (socket) return [{ type: "run-remote-code", source: socket.target.text }];
  const { script, interpreter } = executed;
  const from = [...executed.from, ...(invocation.script?.from ?? [])];
  const sources = sourcesOf(from);
  const effects: CommandEffect[] = [];
  const fetcher = sources.find(({ program }) => isFetcher(program));
  if (fetcher) effects.push({ type: "run-remote-code", source: addressOf(fetcher) });
  else if (!isTextKnown(invocation, executed.from)) {
    const decoder = sources.find(decodes);
    if (decoder) effects.push({ type: "run-hidden-code", how: `the output of ${decoder.program}` });
    else if (
      sources.length > 1 &&
      sources.some(({ program, args }) => /^(echo|printf)$/.test(program) && args.every(isKnown))
    )
      effects.push({ type: "run-hidden-code", how: "text put together on the way" });
  }
  if (script && /^https?:\/\//.test(script.text)) effects.push({ type: "run-remote-code", source: script.text });
  else if (script && isKnown(script)) effects.push({ type: "run-script", path: target(script), interpreter });
  const piped = from.at(-1);
  if (!script && piped?.program === "cat" && piped.args.length > 0)
    for (const file of piped.args)
      if (!file.text.startsWith("-")) effects.push({ type: "run-script", path: target(file), interpreter });
  return effects;
}

/** Where it is known, the text itself has been looked at. */
const isTextKnown = (invocation: Invocation, from: readonly Invocation[]) =>
  from.length === 0
    ? invocation.script?.text !== undefined || invocation.script === undefined
    : printedText(from) !== undefined || inputText(invocation.stdin) !== undefined;

const decodes = ({ program, args }: Invocation) => {
  const words = args.map(({ text }) => text);
  switch (program) {
    case "base64":
    case "base32":
    case "basenc":
      return words.some((word) => /^-\w*[dD]|^--decode/.test(word));
    case "xxd":
      return words.some((word) => /^-\w*r/.test(word));
    case "openssl":
      return words.includes("-d") || words.includes("base64");
    case "gpg":
      return words.some((word) => word === "-d" || word === "--decrypt");
    case "uudecode":
    case "gunzip":
    case "zcat":
    case "bzcat":
    case "xzcat":
    case "unxz":
    case "rev":
    case "tr":
      return true;
    case "gzip":
    case "bzip2":
    case "xz":
    case "zstd":
      return words.some((word) => /^-\w*d|^--decompress/.test(word));
    default:
      return false;
  }
};
