/**
 * The XML of WeCom's callbacks: one element with elements of text in it, some of them one level deeper. Nothing else of
 * XML is read: no DTD, no entity but the five, no attribute, no comment.
 */
export type XmlFields = ReadonlyMap<string, string>;

const NAME = "[A-Za-z][A-Za-z0-9_]{0,63}";
const TOKEN = new RegExp(`^\\s*(?:<(/?)(${NAME})\\s*>|<!\\[CDATA\\[([\\s\\S]*?)\\]\\]>|([^<]+))`);
const MAX_DEPTH = 6;

/** Texts of the innermost elements by name, the first of each. Undefined: it is not what WeCom sends. */
export function xmlFields(text: string): XmlFields | undefined {
  const fields = new Map<string, string>();
  const open: { name: string; text: string; hasChildren: boolean }[] = [];
  let rest = text.trim();
  let isOver = false;
  while (rest !== "") {
    const match = TOKEN.exec(rest);
    if (!match || isOver) return undefined;
    const [all, slash, name, cdata, words] = match;
    rest = rest.slice(all.length);
    const inner = open.at(-1);
    if (name === undefined) {
      const said = cdata ?? unescaped(words ?? "");
      if (!inner || said === undefined) return undefined;
      inner.text += said;
    } else if (slash === "") {
      if (inner) inner.hasChildren = true;
      if (open.length >= MAX_DEPTH) return undefined;
      open.push({ name, text: "", hasChildren: false });
    } else {
      const closed = open.pop();
      if (!closed || closed.name !== name) return undefined;
      if (!closed.hasChildren && !fields.has(name)) fields.set(name, closed.text);
      isOver = open.length === 0;
    }
    rest = rest.trimStart();
  }
  return isOver ? fields : undefined;
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function unescaped(words: string): string | undefined {
  const read = words.trimEnd().replace(/&([a-z]+);/g, (all, name: string) => ENTITIES[name] ?? all);
  return /&(?!lt;|gt;|amp;|quot;|apos;)/.test(words) ? undefined : read;
}
