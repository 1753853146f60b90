/** Functions of each language that reach the world: they run programs, or delete, write, move and send files. */
import { type Arg, arg, isKnown, UNKNOWN } from "../arg.ts";
import type { Call, Calls, Handler, Value } from "./deeds.ts";
import type { Language } from "./tokens.ts";
import { carried, joined, moduleName } from "./values.ts";

const textOf = (value: Value | undefined) => value?.text ?? UNKNOWN;
const asArg = (value: Value): Arg => ({ text: textOf(value), glob: value.glob === true });
const isTrue = (value: Value | undefined) => /^(True|true|TRUE|1)$/.test(value?.text ?? value?.symbol ?? "");

/** A string is a command line; a list, or a program and a list, are words. */
const runs: Handler = ({ args, fields, name, emit }) => {
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
const executes: Handler = ({ args, name, emit }) => {
  const rest = /spawn|posix_spawn/.test(name) && args[0]?.text === undefined ? args.slice(1) : args;
  const [path, ...words] = rest;
  const list = words[0]?.items ?? words.filter(({ text }) => text !== undefined);
  if (path) emit({ type: "words", words: [asArg(path), ...list.slice(1).map(asArg)], via: name });
  return undefined;
};

const deletes =
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
const isRecursive = ({ fields }: Call) => isTrue(fields.get("recursive"));

const deletesSelf =
  (recursive: boolean): Handler =>
  ({ self, emit, pathOf }) => {
    if (self?.text !== undefined) emit({ type: "delete", path: pathOf(self), recursive });
    return undefined;
  };

const writes =
  (append = false, at = 0): Handler =>
  ({ args, emit, pathOf }) => {
    const path = args[at];
    if (path?.text !== undefined) emit({ type: "overwrite", path: pathOf(path), append });
    return undefined;
  };

const writesSelf: Handler = ({ self, emit, pathOf }) => {
  if (self?.text !== undefined) emit({ type: "overwrite", path: pathOf(self), append: false });
  return undefined;
};

/** `open(path, mode)`: writing where the mode says so, reading otherwise. */
const opens: Handler = (call) => {
  const [path, second] = call.args;
  const mode = call.fields.get("mode")?.text ?? call.fields.get("flag")?.text ?? second?.text ?? "r";
  if (path?.text === undefined) return undefined;
  return openedAs(call, path, mode);
};

function openedAs({ emit, pathOf }: Call, path: Value, mode: string): Value {
  if (/[wx]|\+/.test(mode)) emit({ type: "overwrite", path: pathOf(path), append: false });
  else if (/a/.test(mode)) emit({ type: "overwrite", path: pathOf(path), append: true });
  else {
    emit({ type: "read", path: pathOf(path) });
    return { file: pathOf(path) };
  }
  return {};
}

const reads: Handler = ({ args, emit, pathOf }) => {
  const [path] = args;
  if (path?.text === undefined) return undefined;
  emit({ type: "read", path: pathOf(path) });
  return { file: pathOf(path) };
};

const readsSelf: Handler = ({ self, emit, pathOf }) => {
  if (self?.text === undefined || self.text === UNKNOWN) return self && carried([self]);
  emit({ type: "read", path: pathOf(self) });
  return { file: pathOf(self) };
};

const moves: Handler = ({ args, emit, pathOf }) => {
  const [from, to] = args;
  if (from?.text !== undefined) emit({ type: "move", from: pathOf(from), to: pathOf(to) });
  return undefined;
};

const copies: Handler = ({ args, emit, pathOf }) => {
  const [from, to] = args;
  if (from?.text !== undefined) emit({ type: "read", path: pathOf(from) });
  if (to?.text !== undefined) emit({ type: "overwrite", path: pathOf(to), append: false });
  return undefined;
};

const changesDirectory: Handler = ({ args, changeDirectory }) => {
  const path = args[0]?.text;
  changeDirectory(path ?? UNKNOWN);
  return undefined;
};

/** Text that is run as code: known, it is looked at; fetched or decoded, that is said. */
const runsCode: Handler = ({ args, nested, emit, name }) => {
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

const decodesBase64: Handler = ({ args }) => {
  const [first, second] = args;
  if (second?.text === "hex") return fromHex(first);
  if (second?.text !== undefined && second.text !== "base64" && second.text !== "utf-8") return first;
  return base64Value(first);
};

function base64Value(value: Value | undefined): Value {
  if (value?.text === undefined || value.text.includes(UNKNOWN))
    return { ...carried(value ? [value] : []), decoded: true };
  try {
    const bytes = Uint8Array.from(atob(value.text.replace(/\s/g, "")), (char) => char.charCodeAt(0));
    return { text: new TextDecoder().decode(bytes) };
  } catch {
    return { decoded: true };
  }
}

function fromHex(value: Value | undefined): Value {
  const digits = value?.text?.replace(/\s/g, "");
  if (!digits || !/^([0-9a-f]{2})+$/i.test(digits)) return { decoded: true };
  return {
    text: String.fromCharCode(...(digits.match(/../g) ?? []).slice(0, 4_000).map((pair) => Number.parseInt(pair, 16))),
  };
}

const decodesUnknown: Handler = ({ args }) => ({ ...carried(args), decoded: true });
const characters: Handler = ({ args }) => ({
  text: args.map(({ text }) => (Number(text) > 0 ? String.fromCharCode(Number(text)) : UNKNOWN)).join(""),
});
const firstArgument: Handler = ({ args }) => args[0];
const fetches: Handler = ({ args, fields, emit, name }) => {
  const url = textOf(args.find(({ text }) => text !== undefined && /^\w+:\/\//.test(text)) ?? args[0]);
  const sent = carried([...args, ...fields.values()]);
  if (sent.file || sent.environment)
    emit({ type: "send", to: url, files: sent.file ? [sent.file] : [], environment: sent.environment === true });
  return { remote: url === UNKNOWN ? name : url };
};
const home = (): Value => ({ text: "~" });
const here = (): Value => ({ text: "." });
const environmentValue: Handler = ({ args }) => {
  const name = args[0]?.text;
  return name === undefined ? { environment: true } : variable(name);
};
const variable = (name: string): Value =>
  name === "HOME" || name === "USERPROFILE" ? { text: "~" } : name === "TMPDIR" ? { text: "/tmp" } : { text: UNKNOWN };

const joinsPaths: Handler = ({ args }) => {
  const from = args.findLastIndex(({ text }) => text !== undefined && /^[/~]/.test(text));
  const parts = args.slice(Math.max(from, 0)).map(textOf);
  return {
    text: parts.map((part, index) => (index < parts.length - 1 ? part.replace(/\/$/, "") : part)).join("/"),
    glob: args.some(({ glob }) => glob),
  };
};
const expandsUser: Handler = ({ args }) => args[0];
const expandsVariables: Handler = ({ args }) =>
  args[0]?.text === undefined
    ? args[0]
    : { text: args[0].text.replace(/\$\{?HOME\}?/g, "~").replace(/\$\{?\w+\}?/g, UNKNOWN) };
/** What is found below a directory. */
const lists: Handler = ({ args, self }) => {
  const root = args[0]?.text ?? self?.text;
  return root === undefined ? { text: UNKNOWN } : { text: `${root.replace(/\/$/, "")}/*`, glob: true };
};
const globs: Handler = ({ args, self }) => {
  const pattern = args[0]?.text;
  if (pattern === undefined) return { text: UNKNOWN };
  const under = self?.text !== undefined && self.text !== UNKNOWN ? `${self.text.replace(/\/$/, "")}/` : "";
  return { text: `${under}${pattern.replace(/\*\*\/\*/, "*")}`, glob: /[*?[]/.test(pattern) };
};
const requires: Handler = ({ args }) =>
  args[0]?.text === undefined ? undefined : { symbol: moduleName(args[0].text) };
const kills: Handler = ({ args, emit }) => {
  const first = textOf(args[0]);
  const second = textOf(args[1]);
  emit({ type: "kill", target: first, signal: args[1]?.symbol ?? second });
  return undefined;
};
const chmods: Handler = ({ args, emit, pathOf }) => {
  if (args[0]?.text !== undefined) emit({ type: "permissions", path: pathOf(args[0]), mode: textOf(args[1]) });
  return undefined;
};
const sql: Handler = ({ args, emit }) => {
  const text = args[0]?.text;
  if (text !== undefined) emit({ type: "sql", text });
  return undefined;
};
const forks: Handler = ({ emit }) => {
  emit({ type: "fork-bomb" });
  return undefined;
};

const named = (names: string, handler: Handler): Calls =>
  Object.fromEntries(names.split(/\s+/).map((name) => [name, handler]));

const PYTHON: Calls = {
  ...named(
    "os.system os.popen subprocess.run subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen subprocess.getoutput subprocess.getstatusoutput commands.getoutput commands.getstatusoutput popen2.popen2 pty.spawn asyncio.create_subprocess_shell asyncio.create_subprocess_exec invoke.run sp.run sp.call sp.check_output sp.Popen",
    runs,
  ),
  ...named(
    "os.execv os.execve os.execvp os.execvpe os.execl os.execle os.execlp os.execlpe os.spawnv os.spawnl os.spawnvp os.spawnlp os.posix_spawn",
    executes,
  ),
  ...named("shutil.rmtree os.removedirs send2trash.send2trash", deletes(true)),
  ...named("os.remove os.unlink os.rmdir", deletes(false)),
  ...named("os.rename os.replace os.renames shutil.move", moves),
  ...named("shutil.copy shutil.copy2 shutil.copyfile shutil.copytree", copies),
  ...named("os.chmod shutil.chown os.chown", chmods),
  "os.truncate": writes(),
  "os.open": ({ args, emit, pathOf }) => {
    emit({ type: "read", path: pathOf(args[0]) });
    return args[0]?.text === undefined ? undefined : { file: pathOf(args[0]) };
  },
  ...named("open io.open codecs.open", opens),
  ...named("os.chdir", changesDirectory),
  ...named("exec eval builtins.exec builtins.eval __builtins__.exec", runsCode),
  ...named("compile", firstArgument),
  ...named(
    "base64.b64decode base64.decodebytes base64.urlsafe_b64decode base64.standard_b64decode binascii.a2b_base64",
    decodesBase64,
  ),
  ...named("bytes.fromhex bytearray.fromhex binascii.unhexlify binascii.a2b_hex", ({ args }) => fromHex(args[0])),
  ...named(
    "zlib.decompress gzip.decompress marshal.loads bz2.decompress lzma.decompress codecs.decode",
    decodesUnknown,
  ),
  ...named("chr", characters),
  ...named(
    "requests.get requests.post requests.put urllib.request.urlopen urllib2.urlopen urlopen httpx.get httpx.post requests.request urllib.request.Request urllib.request.urlretrieve",
    fetches,
  ),
  ...named("Path.home pathlib.Path.home", home),
  ...named("Path.cwd pathlib.Path.cwd os.getcwd", here),
  ...named("Path pathlib.Path PurePath pathlib.PosixPath str bytes list sorted reversed set tuple iter", (call) =>
    call.args.length > 1 ? joinsPaths(call) : (call.args[0] ?? { text: "." }),
  ),
  ...named("os.getenv os.environ.get os.environ.copy", environmentValue),
  ...named("dict json.dumps urllib.parse.urlencode base64.b64encode", ({ args }) => carried(args)),
  ...named("os.path.join posixpath.join", joinsPaths),
  ...named("os.path.expanduser os.path.abspath os.path.realpath os.path.normpath", expandsUser),
  "os.path.expandvars": expandsVariables,
  ...named("os.walk os.listdir os.scandir", lists),
  ...named("glob.glob glob.iglob", globs),
  ...named("__import__ importlib.import_module", requires),
  getattr: ({ args }) =>
    args[0]?.symbol && args[1]?.text ? { symbol: `${args[0].symbol}.${args[1].text}` } : undefined,
  ...named("os.kill os.killpg", kills),
  "os.fork": forks,
  "sqlite3.connect": ({ args }) => ({ symbol: args[0]?.text === ":memory:" ? "memory" : "sqlite3.connection" }),
  ...named("sqlite3.connection.execute sqlite3.connection.executescript", sql),
  ...named("sqlite3.connection.cursor psycopg2.connect.cursor", () => ({ symbol: "sqlite3.connection" })),
  ...named("psycopg2.connect psycopg.connect pymysql.connect mysql.connector.connect MySQLdb.connect", () => ({
    symbol: "sqlite3.connection",
  })),
};

const FS_DELETES_ALL = deletes((call) => isRecursive(call));
const JAVASCRIPT: Calls = {
  ...named(
    "child_process.exec child_process.execSync child_process.spawn child_process.spawnSync child_process.execFile child_process.execFileSync exec execSync spawn spawnSync execFile execFileSync cp.exec cp.execSync cp.spawn cp.spawnSync cp.execFile cp.execFileSync execa execaSync execa.execa execa.execaSync execa.command execa.commandSync shelljs.exec shell.exec Bun.spawn Bun.spawnSync Deno.Command Deno.run",
    runs,
  ),
  ...named(
    "fs.rmSync fs.rm fs.rmdirSync fs.rmdir fsp.rm fsPromises.rm rmSync Deno.remove Deno.removeSync promises.rm",
    FS_DELETES_ALL,
  ),
  ...named("fs.unlinkSync fs.unlink unlinkSync fsp.unlink promises.unlink", deletes(false)),
  ...named(
    "rimraf rimraf.sync rimrafSync rimraf.rimraf rimraf.rimrafSync fs.remove fs.removeSync fs.emptyDirSync fs.emptyDir fs-extra.remove fs-extra.removeSync fs-extra.emptyDirSync fse.removeSync fse.remove del del.sync del.deleteSync del.deleteAsync",
    deletes(true),
  ),
  ...named("shelljs.rm shell.rm", ({ args, emit, pathOf }) => {
    const flags = args[0]?.text?.startsWith("-") ? args[0].text : "";
    for (const path of args.slice(flags ? 1 : 0))
      emit({ type: "delete", path: pathOf(path), recursive: /r/i.test(flags) });
    return undefined;
  }),
  ...named(
    "fs.writeFileSync fs.writeFile fs.truncateSync fs.truncate fs.createWriteStream fs.outputFileSync writeFileSync fsp.writeFile promises.writeFile Deno.writeTextFile Deno.writeTextFileSync Deno.writeFile Bun.write",
    writes(),
  ),
  ...named("fs.appendFileSync fs.appendFile", writes(true)),
  ...named("fs.openSync fs.open", opens),
  ...named(
    "fs.readFileSync fs.readFile readFileSync fsp.readFile promises.readFile Deno.readTextFile Deno.readTextFileSync Bun.file",
    reads,
  ),
  ...named("fs.renameSync fs.rename fs.moveSync", moves),
  ...named("fs.copyFileSync fs.copyFile fs.cpSync fs.cp", copies),
  ...named("fs.chmodSync fs.chmod", chmods),
  ...named("process.chdir", changesDirectory),
  ...named("eval Function vm.runInNewContext vm.runInThisContext vm.runInContext globalThis.eval", runsCode),
  ...named("Buffer.from", decodesBase64),
  ...named("atob", ({ args }) => base64Value(args[0])),
  ...named("zlib.gunzipSync zlib.inflateSync", decodesUnknown),
  ...named("String.fromCharCode String.fromCodePoint", characters),
  ...named(
    "fetch http.get https.get http.request https.request axios.get axios.post axios got got.post needle.post",
    fetches,
  ),
  ...named("os.homedir homedir Deno.env.get", (call) => (call.args.length > 0 ? environmentValue(call) : home())),
  ...named("process.cwd Deno.cwd", here),
  ...named("path.join path.resolve join resolve", joinsPaths),
  ...named("path.normalize String Promise.resolve util.promisify promisify", firstArgument),
  ...named("JSON.stringify", ({ args }) => carried(args)),
  ...named("fs.readdirSync fs.readdir readdirSync", lists),
  ...named("glob.sync globSync fs.globSync", globs),
  ...named("require import module.require process.mainModule.require module.createRequire", requires),
  "process.kill": kills,
  ...named("child_process.fork", () => undefined),
};

const RUBY: Calls = {
  ...named(
    "system exec spawn Kernel.system Kernel.exec Kernel.spawn IO.popen Open3.capture2 Open3.capture3 Open3.capture2e Open3.popen3 Open3.popen2 Process.spawn PTY.spawn Process.exec",
    runs,
  ),
  ...named(
    "FileUtils.rm_rf FileUtils.rm_r FileUtils.remove_dir FileUtils.remove_entry FileUtils.remove_entry_secure FileUtils.rmtree FileUtils.remove_dir rm_rf rm_r",
    deletes(true),
  ),
  ...named(
    "FileUtils.rm FileUtils.rm_f File.delete File.unlink Dir.rmdir Dir.delete Dir.unlink FileUtils.rmdir FileUtils.safe_unlink",
    deletes(false),
  ),
  ...named("FileUtils.mv File.rename FileUtils.move", moves),
  ...named("FileUtils.cp FileUtils.cp_r FileUtils.copy", copies),
  ...named("FileUtils.chmod_R FileUtils.chmod", ({ args, emit, pathOf }) => {
    emit({ type: "permissions", path: pathOf(args[1]), mode: textOf(args[0]) });
    return undefined;
  }),
  ...named("File.write IO.write File.truncate IO.binwrite", writes()),
  ...named("File.open File.new open", opens),
  ...named("File.read IO.read File.readlines", reads),
  ...named("Dir.chdir", changesDirectory),
  ...named("eval instance_eval Kernel.eval", runsCode),
  ...named("Base64.decode64 Base64.strict_decode64", decodesBase64),
  ...named("Net.HTTP.get URI.open Net.HTTP.post HTTParty.post HTTParty.get Net.HTTP.post_form", fetches),
  ...named("Dir.home", home),
  ...named("Dir.pwd", here),
  ...named("File.join", joinsPaths),
  ...named("File.expand_path Pathname Pathname.new File.realpath", expandsUser),
  ...named("Dir.children Dir.entries Find.find", lists),
  ...named("Dir.glob", globs),
  ...named("ENV.fetch ENV.to_h ENV.to_hash", environmentValue),
  "Process.kill": ({ args, emit }) => {
    emit({ type: "kill", target: textOf(args[1]), signal: textOf(args[0]) });
    return undefined;
  },
  ...named("fork", () => undefined),
};

/** Perl's open: `open(F, "|cmd")`, `open(F, "cmd|")`, `open(F, ">", path)`, `open(F, "-|", cmd)`. */
const perlOpen: Handler = (call) => {
  const [, mode, path] = call.args;
  const text = mode?.text;
  if (text === undefined) return undefined;
  const trimmed = text.trim();
  if (trimmed === "-|" || trimmed === "|-") return path ? runs({ ...call, args: call.args.slice(2) }) : undefined;
  if (trimmed.startsWith("|") || trimmed.endsWith("|")) {
    call.emit({ type: "script", text: trimmed.replace(/^\||\|$/g, ""), via: "open" });
    return undefined;
  }
  const direct = /^(\+?>>?|<)\s*(.*)$/s.exec(trimmed);
  if (!direct) return undefined;
  const file = direct[2] ? { text: direct[2] } : path;
  return file
    ? openedAs(call, file, direct[1]?.includes(">>") ? "a" : direct[1]?.includes(">") ? "w" : "r")
    : undefined;
};

const PERL: Calls = {
  ...named("system exec CORE.system CORE.exec CORE.GLOBAL.system IPC.System.Simple.system run3", runs),
  ...named(
    "rmtree remove_tree File.Path.rmtree File.Path.remove_tree File.Path.make_path.rmtree pathrmdir",
    deletes(true),
  ),
  ...named("unlink rmdir CORE.unlink", deletes(false)),
  ...named("rename move File.Copy.move", moves),
  ...named("copy File.Copy.copy", copies),
  ...named("truncate", writes()),
  open: perlOpen,
  ...named("chdir", changesDirectory),
  ...named("eval", runsCode),
  ...named("decode_base64 MIME.Base64.decode_base64", decodesBase64),
  ...named("get LWP.Simple.get", fetches),
  ...named("chr", characters),
  ...named("glob", globs),
  kill: ({ args, emit }) => {
    emit({ type: "kill", target: textOf(args[1]), signal: textOf(args[0]) });
    return undefined;
  },
};

const PHP: Calls = {
  ...named("system exec shell_exec passthru popen proc_open pcntl_exec", runs),
  ...named("unlink rmdir", deletes(false)),
  ...named("rename", moves),
  ...named("copy", copies),
  ...named("file_put_contents", writes()),
  ...named("fopen", opens),
  ...named("file_get_contents readfile file", (call) =>
    /^\w+:\/\//.test(call.args[0]?.text ?? "") ? fetches(call) : reads(call),
  ),
  ...named("chdir", changesDirectory),
  ...named("eval assert", runsCode),
  ...named("base64_decode", decodesBase64),
  ...named("hex2bin", ({ args }) => fromHex(args[0])),
  ...named("gzinflate gzuncompress str_rot13", decodesUnknown),
  ...named("chr", characters),
  ...named("getenv", environmentValue),
  ...named("glob", globs),
  ...named("scandir", lists),
  ...named("chmod", chmods),
  array_map: (call) => {
    if (call.args[0]?.text !== "unlink" && call.args[0]?.text !== "rmdir") return undefined;
    return deletes(false)({ ...call, args: call.args.slice(1) });
  },
};

const LUA: Calls = {
  ...named("os.execute io.popen", runs),
  ...named("os.remove lfs.rmdir", deletes(false)),
  ...named("os.rename", moves),
  ...named("io.open", opens),
  ...named("os.getenv", environmentValue),
  ...named("load loadstring dofile", runsCode),
};

const R: Calls = {
  ...named("system system2 shell base.system", runs),
  ...named("unlink", deletes(isRecursive)),
  ...named("file.remove unlink.file", deletes(false)),
  ...named("writeLines", writes(false, 1)),
  ...named("eval parse source", firstArgument),
  ...named("path.expand normalizePath", expandsUser),
  ...named("setwd", changesDirectory),
  ...named("Sys.getenv", environmentValue),
};

const JULIA: Calls = {
  ...named("rm Base.rm Base.Filesystem.rm", deletes(isRecursive)),
  ...named("mv", moves),
  ...named("homedir", home),
  ...named("open", opens),
  ...named("write", writes()),
  ...named("joinpath", joinsPaths),
};

const ELIXIR: Calls = {
  ...named("System.cmd System.shell os.cmd :os.cmd Port.open", runs),
  ...named("File.rm_rf File.rm_rf!", deletes(true)),
  ...named("File.rm File.rm! File.rmdir File.rmdir!", deletes(false)),
  ...named("File.write File.write!", writes()),
  ...named("System.user_home System.user_home!", home),
  ...named("Path.join", joinsPaths),
  ...named("Path.expand", expandsUser),
  ...named("Code.eval_string", runsCode),
};

const AWK: Calls = { system: runs };

export const CALLS: Readonly<Record<Language, Calls>> = {
  python: PYTHON,
  javascript: JAVASCRIPT,
  ruby: RUBY,
  perl: PERL,
  php: PHP,
  lua: LUA,
  r: R,
  julia: JULIA,
  elixir: ELIXIR,
  awk: AWK,
};

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
