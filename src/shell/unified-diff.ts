/** The files that a patch of diff names, as git and patch read it. */

/** Each name as it stands there, with the `a/` and `b/` before it. */
export function namesInDiff(text: string): string[] {
  const names = new Set<string>();
  let [removed, added] = [0, 0];
  let before = "";
  let mayStartHunk = false;
  for (const line of text.split(/\r?\n/)) {
    const hunk = HUNK.exec(line);
    const isInHunk = (removed > 0 || added > 0) && IN_HUNK.test(line);
    if (isInHunk) {
      if (!line.startsWith("+") && !line.startsWith("\\")) removed -= 1;
      if (!line.startsWith("-") && !line.startsWith("\\")) added -= 1;
    } else if (hunk && mayStartHunk) [removed, added] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
    else [removed, added] = [0, 0];
    // Lines of a hunk may look like headers: `--- x` is the line `-- x`, taken out. Its counts may lie; two that
    // follow each other are believed to be headers.
    const areHeaders = isInHunk && before.startsWith("--- ") && line.startsWith("+++ ");
    for (const header of areHeaders ? [before, line] : isInHunk ? [] : [line])
      for (const name of namesInHeader(header)) names.add(name);
    mayStartHunk = isInHunk || line.startsWith("+++ ") || (mayStartHunk && (hunk !== null || line.startsWith("\\")));
    before = line;
  }
  return [...names];
}

/** What begins otherwise ends a hunk, whatever its counts say. */
const IN_HUNK = /^(?:[ +\-\\]|$)/;
const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
/** `*** 1,5 ****` is a range of a context diff, no name. */
const HEADER = /^(?:---|\+\+\+|\*\*\*(?! \d+(?:,\d+)? \*{4}$)|Index:) +(.+)$/s;
/** Here names stand without `a/` and `b/`. */
const RENAME = /^(?:rename (?:from|to)|copy to) +(.+)$/s;

function namesInHeader(line: string): string[] {
  if (line.startsWith("diff --git ")) return namesOfBoth(line.slice("diff --git ".length));
  const renamed = RENAME.exec(line)?.[1];
  if (renamed !== undefined) return [`./${unquoted(renamed)}`];
  const rest = HEADER.exec(line)?.[1];
  if (rest === undefined || rest.startsWith("/dev/null")) return [];
  const whole = unquoted(rest.split("\t")[0] ?? "").trim();
  // A date may follow after a blank, and a name may have one.
  const [first = ""] = whole.split(" ");
  return rest.startsWith('"') || first === whole ? [whole] : [whole, first];
}

/** `a/x b/x`: where names have blanks, every way to part them. */
function namesOfBoth(rest: string): string[] {
  if (rest.includes('"'))
    return [...rest.matchAll(/("(?:[^"\\]|\\.)*)("?)|[^\s"]+/g)].flatMap(([name, open, close]) =>
      open === undefined || close ? [unquoted(name)] : open.split(/[\s"]+/),
    );
  const words = rest.split(" ");
  const half = words.length / 2;
  return Number.isInteger(half) ? [words.slice(0, half).join(" "), words.slice(half).join(" ")] : words;
}

/** Names with unusual characters are quoted as in C. */
function unquoted(name: string): string {
  if (!name.startsWith('"')) return name;
  const inner = /^"((?:[^"\\]|\\.)*)"/.exec(name)?.[1] ?? name;
  return inner.replace(/\\(?:([0-7]{3})|(.))/g, (_, octal: string | undefined, letter: string | undefined) =>
    octal === undefined ? (letter ?? "") : String.fromCharCode(Number.parseInt(octal, 8)),
  );
}
