/** What hosts and hooks put into what a person says; nobody said it. One pass, however often a tag is opened and never closed. */

const NAMES = [
  "system-reminder",
  "task-notification",
  "local-command-stdout",
  "local-command-stderr",
  "local-command-caveat",
  "command-message",
  "holdfast-context",
  "hook_context",
  "environment_context",
  "user_instructions",
  "session_context",
  "current_datetime",
  "turn_aborted",
];
const INSERT = new RegExp(`<(${NAMES.join("|")})(?=[\\s>])`, "g");
const COMMAND = /<command-name>([^<]*)<\/command-name>/g;
const ARGS = /\s*<command-args>/y;
const BLANKS = /\s*/y;
const QUERY = /<\/?user_query>\n?/g;

/** What these rules are, for whoever asks whether they changed. */
export const INSERT_RULES: readonly RegExp[] = [INSERT, COMMAND, ARGS, QUERY];

export function withoutInserts(text: string): string {
  if (!text.includes("<")) return text;
  return withCommands(withoutSpans(text)).replace(QUERY, "");
}

/** From an opening tag to the first that closes it, with a line end behind it. */
function withoutSpans(text: string): string {
  const find = finder(text);
  const kept: string[] = [];
  let from = 0;
  for (const { index, 0: begin, 1: name = "" } of text.matchAll(INSERT)) {
    if (index < from) continue;
    const opened = find(">", index + begin.length);
    const closing = `</${name}>`;
    const closed = opened === undefined ? undefined : find(closing, opened + 1);
    if (closed === undefined) continue;
    kept.push(text.slice(from, index));
    const end = closed + closing.length;
    from = text[end] === "\n" ? end + 1 : end;
  }
  return kept.join("") + text.slice(from);
}

/** As the person typed it: the command and what stands behind it. */
function withCommands(text: string): string {
  const find = finder(text);
  const kept: string[] = [];
  let from = 0;
  for (const { index, 0: tags, 1: name = "" } of text.matchAll(COMMAND)) {
    if (index < from) continue;
    let end = index + tags.length;
    ARGS.lastIndex = end;
    const opened = ARGS.test(text) ? ARGS.lastIndex : undefined;
    const closed = opened === undefined ? undefined : find("</command-args>", opened);
    const args = opened === undefined || closed === undefined ? "" : text.slice(opened, closed);
    if (closed !== undefined) end = closed + "</command-args>".length;
    else {
      BLANKS.lastIndex = end;
      if (BLANKS.test(text)) end = BLANKS.lastIndex;
    }
    kept.push(text.slice(from, index), `${name} ${args}`.trim());
    from = end;
  }
  return kept.join("") + text.slice(from);
}

/** Where a text stands next, from places that only grow: what was found, or found to be nowhere, is not looked for again. */
function finder(text: string): (wanted: string, from: number) => number | undefined {
  const next = new Map<string, number>();
  return (wanted, from) => {
    let at = next.get(wanted) ?? 0;
    if (at !== -1 && (at < from || !next.has(wanted))) {
      at = text.indexOf(wanted, from);
      next.set(wanted, at);
    }
    return at === -1 ? undefined : at;
  };
}
