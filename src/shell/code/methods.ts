/** Methods of values, in all languages: what they give back, or do. */
import { arg, isKnown, UNKNOWN } from "../arg.ts";
import type { Call, Calls, Handler, Value } from "./deeds.ts";
import {
  base64Value,
  deletesSelf,
  globs,
  joinsPaths,
  lists,
  openedAs,
  readsSelf,
  sql,
  textOf,
  variable,
  writesSelf,
} from "./handlers.ts";
import { carried, joined } from "./values.ts";

const onText =
  (change: (text: string, call: Call) => string): Handler =>
  (call) =>
    call.self?.text === undefined
      ? call.self && carried([call.self])
      : { ...carried([call.self]), text: change(call.self.text, call) };
const sameSelf: Handler = ({ self }) => self;

/** Methods of values: of paths, of strings, of what was opened. */
export const METHODS: Calls = Object.assign(Object.create(null), {
  unlink: deletesSelf(false),
  rmdir: deletesSelf(false),
  rmtree: deletesSelf(true),
  delete: deletesSelf(false),
  write_text: writesSelf,
  write_bytes: writesSelf,
  read_text: readsSelf,
  read_bytes: readsSelf,
  rename: ({ self, args, emit, pathOf }: Call) => {
    if (self?.text !== undefined) emit({ type: "move", from: pathOf(self), to: pathOf(args[0]) });
    return undefined;
  },
  open: (call: Call) => {
    if (call.self?.text === undefined) return undefined;
    return openedAs(call, call.self, call.args[0]?.text ?? call.fields.get("mode")?.text ?? "r");
  },
  execute: (call: Call) => {
    // Groovy: "rm -rf x".execute()
    if (call.self?.text !== undefined && call.args.length === 0)
      call.emit({ type: "script", text: call.self.text, via: "execute" });
    else if (call.args[0]?.text !== undefined) call.emit({ type: "sql", text: call.args[0].text });
    return undefined;
  },
  executescript: sql,
  iterdir: lists,
  rglob: (call: Call) => (call.args[0]?.text === "*" ? lists({ ...call, args: [] }) : globs(call)),
  glob: globs,
  joinpath: (call: Call) => joinsPaths({ ...call, args: [call.self ?? {}, ...call.args] }),
  join: ({ self, args }: Call) => {
    const [first] = args;
    if (self?.items) return { text: self.items.map(textOf).join(first?.text ?? ",") };
    if (self?.text !== undefined && first?.items) return { text: first.items.map(textOf).join(self.text) };
    return self?.text !== undefined && first?.text !== undefined
      ? joined(joined(self, { text: "/" }), first)
      : undefined;
  },
  concat: ({ self, args }: Call) => args.reduce((a, b) => joined(a, b), self ?? {}),
  format: onText((text, { args }) => {
    let index = 0;
    return text.replace(/\{(\d*)\}/g, (_, at: string) => args[at ? Number(at) : index++]?.text ?? UNKNOWN);
  }),
  replace: onText((text, { args }) => {
    const [from, to] = args;
    return from?.text !== undefined && to?.text !== undefined && isKnown(arg(from.text)) && from.text !== ""
      ? text.replaceAll(from.text, () => to.text as string)
      : UNKNOWN;
  }),
  lower: onText((text) => text.toLowerCase()),
  upper: onText((text) => text.toUpperCase()),
  strip: onText((text) => text.trim()),
  trim: onText((text) => text.trim()),
  reverse: ({ self }: Call) => (self?.items ? { items: [...self.items].reverse() } : self),
  split: ({ self, args }: Call) => {
    if (self?.text === undefined) return self && carried([self]);
    const by = args[0]?.text;
    const parts = by === undefined ? self.text.split(/\s+/) : by === "" ? [...self.text] : self.text.split(by);
    return { items: parts.slice(0, 1_000).map((text) => ({ text })) };
  },
  unpack1: ({ self }: Call) => base64Value(self),
  ...Object.fromEntries(
    "toString encode decode resolve absolute expanduser to_s as_posix read text json content readlines catch get data"
      .split(" ")
      .map((name) => [name, sameSelf]),
  ),
  // fetch(…).then(r => r.text()).then(eval)
  // biome-ignore lint/suspicious/noThenProperty: a method's name, not a promise
  then: ({ self, args, emit }: Call) => {
    const runner = args[0]?.symbol;
    if (self?.remote && runner && /^(eval|Function|vm\.\w+)$/.test(runner))
      emit({ type: "remote-code", source: self.remote });
    return self;
  },
  forEach: () => undefined,
});

/** Members that are values: the home directory, the environment. */
export function property(symbol: string): Value | undefined {
  const name =
    /^(?:os\.environ|process\.env|ENV|\$ENV|\$_ENV|\$_SERVER|env|globalThis\.process\.env|Bun\.env)\.(\w+)$/.exec(
      symbol,
    )?.[1];
  if (name && name !== "get" && name !== "copy") return variable(name);
  if (/^(os\.environ|process\.env|ENV|\$_ENV|Bun\.env)$/.test(symbol)) return { symbol, environment: true };
  if (symbol === "os.sep" || symbol === "path.sep" || symbol === "os.path.sep") return { text: "/" };
  if (symbol === "Dir.home") return { text: "~" };
  if (symbol === "os.curdir" || symbol === "Dir.pwd") return { text: "." };
  return undefined;
}
