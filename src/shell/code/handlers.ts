/** What calls of a language's library do, whichever language spells them how. */
import { type Arg, UNKNOWN } from "../arg.ts";
import type { Call, Handler, Value } from "./deeds.ts";
import { carried, moduleName } from "./values.ts";

export const textOf = (value: Value | undefined) => value?.text ?? UNKNOWN;
const asArg = (value: Value): Arg => ({ text: textOf(value), glob: value.glob === true });
const isTrue = (value: Value | undefined) => /^(True|true|TRUE|1)$/.test(value?.text ?? value?.symbol ?? "");

/** A string is a command line; a list, or a program and a list, are words. */
export const runs: Handler = ({ args, fields, name, emit }) => {
  const [first, second] = args;
  const input = fields.get("input") ?? fields.get("stdin_data");
  if (!first && !fields.has("args")) return undefined;
  const command =
    first?.text !== undefined || first?.items ? first : (fields.get("args") ?? fields.get("cmd") ?? first);
  const items = command?.items;
  if (items && items.length > 0) {
    emit({ type: "words", words: items.map(asArg), via: name });
    if (input?.text !== undefined && /(^|\/)(ba|z|da|k)?sh$/.test(textOf(items[0])))
      emit({ type: "script", text: input.text, via: name });
    return undefined;
  }
  if (command?.text === undefined) return undefined;
  const list = second?.items ?? fields.get("args")?.items;
  const words = list ?? args.slice(1).filter(({ text }) => text !== undefined);
  if (words.length > 0 && !/\s/.test(command.text.trim()))
    emit({ type: "words", words: [asArg(command), ...words.map(asArg)], via: name });
  else emit({ type: "script", text: command.text, via: name });
  return carried([command]);
};

/** `execv(path, argv)`, `execl(path, arg0, …)`, `spawnv(mode, path, argv)`. */
export const executes: Handler = ({ args, name, emit }) => {
  const rest = /spawn|posix_spawn/.test(name) && args[0]?.text === undefined ? args.slice(1) : args;
  const [path, ...words] = rest;
  const list = words[0]?.items ?? words.filter(({ text }) => text !== undefined);
  if (path) emit({ type: "words", words: [asArg(path), ...list.slice(1).map(asArg)], via: name });
  return undefined;
};

export const deletes =
  (recursive: boolean | ((call: Call) => boolean)): Handler =>
  (call) => {
    const all = call.args.filter(({ text, items }) => text !== undefined || items !== undefined);
    const paths = all.length > 0 ? all.flatMap((value) => value.items ?? [value]) : [{}];
    const whole = typeof recursive === "boolean" ? recursive : recursive(call);
    for (const path of paths) {
      if (path.text === undefined && path.symbol === undefined && all.length > 0 && !path.file) continue;
      call.emit({ type: "delete", path: call.pathOf(path), recursive: whole });
    }
    return undefined;
  };
export const isRecursive = ({ fields }: Call) => isTrue(fields.get("recursive"));

export const deletesSelf =
  (recursive: boolean): Handler =>
  ({ self, emit, pathOf }) => {
    if (self?.text !== undefined) emit({ type: "delete", path: pathOf(self), recursive });
    return undefined;
  };

export const writes =
  (append = false, at = 0): Handler =>
  ({ args, emit, pathOf }) => {
    const path = args[at];
    if (path?.text !== undefined) emit({ type: "overwrite", path: pathOf(path), append });
    return undefined;
  };

export const writesSelf: Handler = ({ self, emit, pathOf }) => {
  if (self?.text !== undefined) emit({ type: "overwrite", path: pathOf(self), append: false });
  return undefined;
};

/** `open(path, mode)`: writing where the mode says so, reading otherwise. */
export const opens: Handler = (call) => {
  const [path, second] = call.args;
  const mode = call.fields.get("mode")?.text ?? call.fields.get("flag")?.text ?? second?.text ?? "r";
  if (path?.text === undefined) return undefined;
  return openedAs(call, path, mode);
};

export function openedAs({ emit, pathOf }: Call, path: Value, mode: string): Value {
  if (/[wx]|\+/.test(mode)) emit({ type: "overwrite", path: pathOf(path), append: false });
  else if (/a/.test(mode)) emit({ type: "overwrite", path: pathOf(path), append: true });
  else {
    emit({ type: "read", path: pathOf(path) });
    return { file: pathOf(path) };
  }
  return {};
}

export const reads: Handler = ({ args, emit, pathOf }) => {
  const [path] = args;
  if (path?.text === undefined) return undefined;
  emit({ type: "read", path: pathOf(path) });
  return { file: pathOf(path) };
};

export const readsSelf: Handler = ({ self, emit, pathOf }) => {
  if (self?.text === undefined || self.text === UNKNOWN) return self && carried([self]);
  emit({ type: "read", path: pathOf(self) });
  return { file: pathOf(self) };
};

export const moves: Handler = ({ args, emit, pathOf }) => {
  const [from, to] = args;
  if (from?.text !== undefined) emit({ type: "move", from: pathOf(from), to: pathOf(to) });
  return undefined;
};

export const copies: Handler = ({ args, emit, pathOf }) => {
  const [from, to] = args;
  if (from?.text !== undefined) emit({ type: "read", path: pathOf(from) });
  if (to?.text !== undefined) emit({ type: "overwrite", path: pathOf(to), append: false });
  return undefined;
};

export const changesDirectory: Handler = ({ args, changeDirectory }) => {
  const path = args[0]?.text;
  changeDirectory(path ?? UNKNOWN);
  return undefined;
};

/** Text that is run as code: known, it is looked at; fetched or decoded, that is said. */
export const runsCode: Handler = ({ args, nested, emit, name }) => {
  const [code] = args;
  const last = args.at(-1);
  for (const value of [code, last]) {
    if (value?.remote) emit({ type: "remote-code", source: value.remote });
    else if (value?.text !== undefined && !value.text.includes(UNKNOWN)) nested(value.text);
    else if (value?.decoded) emit({ type: "hidden-code", how: `${name} of decoded text` });
    if (value === last) break;
  }
  return undefined;
};

export const decodesBase64: Handler = ({ args }) => {
  const [first, second] = args;
  if (second?.text === "hex") return fromHex(first);
  if (second?.text !== undefined && second.text !== "base64" && second.text !== "utf-8") return first;
  return base64Value(first);
};

export function base64Value(value: Value | undefined): Value {
  if (value?.text === undefined || value.text.includes(UNKNOWN))
    return { ...carried(value ? [value] : []), decoded: true };
  try {
    const bytes = Uint8Array.from(atob(value.text.replace(/\s/g, "")), (char) => char.charCodeAt(0));
    return { text: new TextDecoder().decode(bytes) };
  } catch {
    return { decoded: true };
  }
}

export function fromHex(value: Value | undefined): Value {
  const digits = value?.text?.replace(/\s/g, "");
  if (!digits || !/^([0-9a-f]{2})+$/i.test(digits)) return { decoded: true };
  return {
    text: String.fromCharCode(...(digits.match(/../g) ?? []).slice(0, 4_000).map((pair) => Number.parseInt(pair, 16))),
  };
}

export const decodesUnknown: Handler = ({ args }) => ({ ...carried(args), decoded: true });
export const characters: Handler = ({ args }) => ({
  text: args.map(({ text }) => (Number(text) > 0 ? String.fromCharCode(Number(text)) : UNKNOWN)).join(""),
});
export const firstArgument: Handler = ({ args }) => args[0];
export const fetches: Handler = ({ args, fields, emit, name }) => {
  const url = textOf(args.find(({ text }) => text !== undefined && /^\w+:\/\//.test(text)) ?? args[0]);
  const sent = carried([...args, ...fields.values()]);
  if (sent.file || sent.environment)
    emit({ type: "send", to: url, files: sent.file ? [sent.file] : [], environment: sent.environment === true });
  return { remote: url === UNKNOWN ? name : url };
};
export const home = (): Value => ({ text: "~" });
export const here = (): Value => ({ text: "." });
export const environmentValue: Handler = ({ args }) => {
  const name = args[0]?.text;
  return name === undefined ? { environment: true } : variable(name);
};
export const variable = (name: string): Value =>
  name === "HOME" || name === "USERPROFILE" ? { text: "~" } : name === "TMPDIR" ? { text: "/tmp" } : { text: UNKNOWN };

export const joinsPaths: Handler = ({ args }) => {
  const from = args.findLastIndex(({ text }) => text !== undefined && /^[/~]/.test(text));
  const parts = args.slice(Math.max(from, 0)).map(textOf);
  return {
    text: parts.map((part, index) => (index < parts.length - 1 ? part.replace(/\/$/, "") : part)).join("/"),
    glob: args.some(({ glob }) => glob),
  };
};
export const expandsUser: Handler = ({ args }) => args[0];
export const expandsVariables: Handler = ({ args }) =>
  args[0]?.text === undefined
    ? args[0]
    : { text: args[0].text.replace(/\$\{?HOME\}?/g, "~").replace(/\$\{?\w+\}?/g, UNKNOWN) };
/** What is found below a directory. */
export const lists: Handler = ({ args, self }) => {
  const root = args[0]?.text ?? self?.text;
  return root === undefined ? { text: UNKNOWN } : { text: `${root.replace(/\/$/, "")}/*`, glob: true };
};
export const globs: Handler = ({ args, self }) => {
  const pattern = args[0]?.text;
  if (pattern === undefined) return { text: UNKNOWN };
  const under = self?.text !== undefined && self.text !== UNKNOWN ? `${self.text.replace(/\/$/, "")}/` : "";
  return { text: `${under}${pattern.replace(/\*\*\/\*/, "*")}`, glob: /[*?[]/.test(pattern) };
};
export const requires: Handler = ({ args }) =>
  args[0]?.text === undefined ? undefined : { symbol: moduleName(args[0].text) };
export const kills: Handler = ({ args, emit }) => {
  const first = textOf(args[0]);
  const second = textOf(args[1]);
  emit({ type: "kill", target: first, signal: args[1]?.symbol ?? second });
  return undefined;
};
export const chmods: Handler = ({ args, emit, pathOf }) => {
  if (args[0]?.text !== undefined) emit({ type: "permissions", path: pathOf(args[0]), mode: textOf(args[1]) });
  return undefined;
};
export const sql: Handler = ({ args, emit }) => {
  const text = args[0]?.text;
  if (text !== undefined) emit({ type: "sql", text });
  return undefined;
};
export const forks: Handler = ({ emit }) => {
  emit({ type: "fork-bomb" });
  return undefined;
};
