import type { Calls, Handler } from "./deeds.ts";
import {
  base64Value,
  changesDirectory,
  characters,
  chmods,
  copies,
  decodesBase64,
  decodesUnknown,
  deletes,
  environmentValue,
  executes,
  expandsUser,
  expandsVariables,
  fetches,
  firstArgument,
  forks,
  fromHex,
  globs,
  here,
  home,
  isRecursive,
  joinsPaths,
  kills,
  lists,
  moves,
  openedAs,
  opens,
  reads,
  requires,
  runs,
  runsCode,
  sql,
  textOf,
  writes,
} from "./handlers.ts";
import type { Language } from "./tokens.ts";
import { carried } from "./values.ts";

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
  ...named("shutil.copy shutil.copy2 shutil.copyfile shutil.copytree os.symlink os.link", copies),
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
  ...named("fs.copyFileSync fs.copyFile fs.cpSync fs.cp fs.symlinkSync fs.symlink fs.linkSync fs.link", copies),
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
