/** The native client, compiled for a root of its own, and the stand-in it talks to. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { smallLibc } from "../../src/entry/native/compile.ts";
import { program } from "../program.ts";
import { accepted, answer, judged, type Request, type Seen, type Step } from "./stand-in.ts";

export const BUILD_ID = "0123456789abcdef";
const source = join(import.meta.dirname, "../../native/holdfast.c");
const scratch = mkdtempSync(join(tmpdir(), "holdfast-native-"));
const started = new Set<ChildProcess>();

/** A test that failed leaves its stand-in behind. */
export function cleanUp(): void {
  for (const child of started) child.kill("SIGKILL");
  rmSync(scratch, { recursive: true, force: true });
}

const named = process.env.CC?.trim().split(/\s+/);
const compiler = [...(named ? [named] : []), ["cc"], ["gcc"], ["clang"]].find(
  ([name = "", ...args]) => spawnSync(name, [...args, "--version"]).status === 0,
);
export const canCompile = compiler !== undefined && process.platform !== "win32";
if (!canCompile) console.warn("the native client is not tested: there is no C compiler (cc, gcc, clang, or CC)");

export interface Compilation {
  readonly node?: string;
  readonly flags?: readonly string[];
  /** Instead of the 400 ms that a machine full of tests does not always keep. */
  readonly acceptedMs?: number;
  /** Whose daemon it talks to; default: the stand-in's. */
  readonly buildId?: string;
}

/** The path of a client whose `bin/holdfast` is the real one. */
export function compileClient(name: string, compilation: Compilation = {}): string {
  const { node = process.execPath, flags = [], acceptedMs = 2000, buildId = BUILD_ID } = compilation;
  const root = join(scratch, name);
  const out = join(root, "dist/native/holdfast");
  mkdirSync(join(root, "dist/native"), { recursive: true });
  mkdirSync(join(root, "bin"));
  symlinkSync(program, join(root, "bin/holdfast"));
  const [command = "cc", ...args] = compiler ?? [];
  const defines = [
    `-DHOLDFAST_BUILD_ID="${buildId}"`,
    `-DHOLDFAST_NODE="${node}"`,
    `-DHOLDFAST_ACCEPTED_MS=${acceptedMs}`,
  ];
  const attempt = (...link: string[]) =>
    spawnSync(
      command,
      [...args, "-O1", "-std=c11", "-Wall", "-Wextra", "-Werror", ...flags, ...defines, ...link, source, "-o", out],
      { encoding: "utf8" },
    );
  // Sanitizers need the system's library.
  if (flags.length === 0 && attempt(...smallLibc(source)).status === 0) return out;
  const made = attempt();
  if (made.status !== 0) throw new Error(made.stderr);
  return out;
}

/** Not beside its source: a path with a space in it would be two for the loader. */
export function compileLibrary(file: string): string {
  const out = join(mkdtempSync(join(scratch, "library-")), "library.so");
  const [command = "cc", ...args] = compiler ?? [];
  const made = spawnSync(command, [...args, "-shared", "-fPIC", file, "-o", out], { encoding: "utf8" });
  if (made.status !== 0) throw new Error(made.stderr);
  return out;
}

export const canCompileWith = (flags: readonly string[]): boolean => {
  if (!canCompile) return false;
  const file = join(scratch, "empty.c");
  writeFileSync(file, "int main(void) { return 0; }\n");
  const [command = "cc", ...args] = compiler ?? [];
  const made = spawnSync(command, [...args, ...flags, file, "-o", join(scratch, "empty")]);
  return made.status === 0 && spawnSync(join(scratch, "empty")).status === 0;
};

/** In place of Node: says how it was called and what it has, as JSON. */
export function fakeNode(): string {
  const file = join(scratch, "fake", "node");
  mkdirSync(join(scratch, "fake"));
  const text = `#!${process.execPath}
const { readdirSync, readFileSync, readlinkSync } = require("node:fs");
const linux = process.platform === "linux";
const fds = (linux ? readdirSync("/proc/self/fd") : []).flatMap((fd) => {
  try { return [[Number(fd), readlinkSync("/proc/self/fd/" + fd)]]; } catch { return []; }
});
const children = linux ? readFileSync("/proc/self/task/" + process.pid + "/children", "utf8") : "";
const stdin = readFileSync(0, "utf8");
console.log(JSON.stringify({ argv: process.argv.slice(2), env: process.env, pid: process.pid, stdin, fds, children }));
`;
  writeFileSync(file, text);
  chmodSync(file, 0o755);
  return file;
}

function standInProgram(): string {
  const file = join(scratch, "stand-in.mjs");
  if (existsSync(file)) return file;
  const text = readFileSync(join(import.meta.dirname, "stand-in.ts"), "utf8");
  writeFileSync(file, transformSync(text, { loader: "ts", format: "esm" }).code);
  return file;
}

export const send = (bytes: Buffer): Step => ({ do: "send", bytes: bytes.toString("base64") });
const nothing = Buffer.alloc(0);

/** A call as it should go. */
export const answering = (code: number, stdout: Buffer = nothing, stderr: Buffer = nothing): Step[] => [
  ...upToJudged,
  send(answer(code, stdout, stderr)),
];

export const upToJudged: readonly Step[] = [{ do: "request" }, send(accepted(2000)), send(judged)];
export const echoing: readonly Step[] = [...upToJudged, { do: "echo" }];

export interface StandIn {
  readonly child: ChildProcess;
  readonly seen: readonly Seen[];
  readonly requests: readonly Request[];
  /** Resolves once it has seen this so often, and rejects if it ends without. */
  saw(what: Seen["seen"], times?: number): Promise<void>;
  readonly ended: Promise<NodeJS.Signals | null>;
  stop(): Promise<void>;
}

function openTo(uid: number, paths: readonly string[]): void {
  for (const path of paths) chmodSync(path, 0o755);
  chownSync(paths[0] as string, uid, uid);
}

export const socketIn = (stateDir: string, buildId = BUILD_ID) => join(stateDir, "run", `${buildId}.sock`);

export async function startStandIn(
  stateDir: string,
  steps: readonly Step[],
  { buildId = BUILD_ID, quiet = false, uid }: { buildId?: string; quiet?: boolean; uid?: number } = {},
): Promise<StandIn> {
  mkdirSync(join(stateDir, "run"), { recursive: true, mode: 0o700 });
  if (uid !== undefined) openTo(uid, [join(stateDir, "run"), scratch, standInProgram()]);
  const args = [standInProgram(), socketIn(stateDir, buildId), quiet ? "quiet" : "says"];
  const child = spawn(process.execPath, args, {
    stdio: ["pipe", "pipe", "inherit"],
    ...(uid === undefined ? {} : { uid }),
  });
  started.add(child);
  child.stdin.end(JSON.stringify(steps));
  const seen: Seen[] = [];
  const requests: Request[] = [];
  const waiting = new Set<() => void>();
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    // One that was killed may have left half a line.
    rest = lines.pop() ?? "";
    for (const line of lines) seen.push(JSON.parse(line));
    requests.splice(0, Infinity, ...seen.flatMap((item) => (item.seen === "request" ? [item.request] : [])));
    for (const look of waiting) look();
  });
  const ended = new Promise<NodeJS.Signals | null>((resolve) => child.once("close", (_, signal) => resolve(signal)));
  const saw = (what: Seen["seen"], times = 1) =>
    new Promise<void>((resolve, reject) => {
      const look = () => seen.filter((item) => item.seen === what).length >= times && resolve();
      waiting.add(look);
      look();
      void ended.then(() => reject(new Error(`the stand-in ended and saw no ${what}: ${JSON.stringify(seen)}`)));
    });
  await saw("listening");
  return {
    child,
    seen,
    requests,
    saw,
    ended,
    async stop() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
