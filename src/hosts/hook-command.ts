/** The command line hosts call us by: how it is written, and how it is told from everybody else's. */

/** `event`: for hosts whose payloads do not name theirs. */
export const hookArguments = (host: string, event?: string): readonly string[] => [
  ...["hook", "--host", host],
  ...(event === undefined ? [] : ["--event", event]),
];

/** For hosts that hand one text to a shell. */
export function shellCommand(program: string, host: string, event?: string): string {
  return [quoted(program), ...hookArguments(host, event)].join(" ");
}

/** Whether a text for sh calls our hook and nothing else, whoever wrote it and however its path is quoted. */
export function isShellCommand(command: string, program: string, host: string): boolean {
  const [path = "", ...rest] = shellWords(command);
  return isProgram(path, program) && isHookArguments(rest, host);
}

export function isHookArguments(words: readonly unknown[], host: string): boolean {
  const wanted = hookArguments(host);
  const rest = words.slice(wanted.length);
  const named = rest.length === 0 || (rest.length === 2 && rest[0] === "--event");
  return named && wanted.every((word, index) => words[index] === word);
}

export const isProgram = (path: string, program: string): boolean =>
  path === program || /^holdfast(?:\.exe|\.cmd)?$/.test(path.split(/[\\/]/).at(-1) ?? "");

const quoted = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** The words of a simple command; an operator stays part of a word and spoils it, as it should. */
function shellWords(command: string): string[] {
  const words = command.match(/(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s'"\\])+/gs) ?? [];
  return words.map((word) =>
    word.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/gs, (_, double?: string, single?: string, escaped?: string) =>
      double === undefined ? (single ?? escaped ?? "") : double.replace(/\\(["\\$`])/g, "$1"),
    ),
  );
}
