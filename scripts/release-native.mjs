// The native client for every platform whose compiler is on this machine: dist/native-<platform>-<arch>/holdfast.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt, root } from "./ensure.mjs";
import { flags, source } from "./native.mjs";

const zig = (target) => ["zig", "cc", "-target", target];
const here = (platform, arch, ...commands) =>
  process.platform === platform && (arch === undefined || process.arch === arch) ? commands : [];

/** The first that is there is taken. Static ones come first: they run with any libc. */
const TARGETS = [
  {
    name: "linux-x64",
    commands: [
      zig("x86_64-linux-musl"),
      ["x86_64-linux-musl-gcc", "-static"],
      ...here("linux", "x64", ["musl-gcc", "-static"]),
      ["x86_64-linux-gnu-gcc"],
      ...here("linux", "x64", ["cc"]),
    ],
  },
  {
    name: "linux-arm64",
    commands: [
      zig("aarch64-linux-musl"),
      ["aarch64-linux-musl-gcc", "-static"],
      ...here("linux", "arm64", ["musl-gcc", "-static"]),
      ["aarch64-linux-gnu-gcc"],
      ...here("linux", "arm64", ["cc"]),
    ],
  },
  {
    name: "darwin-arm64",
    commands: [...here("darwin", undefined, ["clang", "-target", "arm64-apple-macos11"]), zig("aarch64-macos")],
  },
  {
    name: "darwin-x64",
    commands: [...here("darwin", undefined, ["clang", "-target", "x86_64-apple-macos11"]), zig("x86_64-macos")],
  },
];

function build({ name, commands }, buildId) {
  const command = commands.find(isThere);
  if (!command) return { name, state: "not built", why: `none of: ${commands.map((words) => words[0]).join(", ")}` };
  const out = join(root, "dist", `native-${name}`, "holdfast");
  const failure = compile(command, { source, flags, buildId, out });
  if (failure !== undefined) return { name, state: "not built", why: failure };
  return { name, state: "built", why: `${Math.round(statSync(out).size / 1024)} KiB by ${command.join(" ")}` };
}

ensureBuilt();
const { compile, isThere } = await import("../dist/entry/native/compile.js");
const buildId = readFileSync(join(root, "dist", "native", "build-id"), "utf8");
const rows = [
  ...TARGETS.map((target) => build(target, buildId)),
  { name: "win32-*", state: "not built", why: "the Node program is registered there" },
];
for (const { name, state, why } of rows) console.log(`  ${name.padEnd(14)} ${state.padEnd(10)} ${why}`);
