/** What the client has in place of the system's C library does what the system's does. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostCompiler, smallLibc } from "../../src/entry/native/compile.ts";

const native = join(import.meta.dirname, "../../native");
const compiler = hostCompiler(process.env);
const words = "command" in compiler ? compiler.command : [];
const run = (program: string, ...args: string[]) => spawnSync(program, args, { encoding: "utf8" });
const canCompile =
  words.length > 0 &&
  process.platform === "linux" &&
  ["x64", "arm64"].includes(process.arch) &&
  run("objcopy", "--version").status === 0;

describe.runIf(canCompile)("the client's part of a C library", () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "holdfast-libc-"));
    writeFileSync(join(directory, "file"), "text");
    symlinkSync("file", join(directory, "link"));
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const made = (name: string, ...args: string[]) => {
    const [program = "", ...first] = words;
    const { status, stderr } = run(
      program,
      ...first,
      "-std=c11",
      "-Wall",
      "-Wextra",
      ...args,
      "-o",
      join(directory, name),
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    return join(directory, name);
  };

  it.for(["-O0", "-O2", "-O3"])("does what the system's does, with random work, built with %s", (level) => {
    const flags = ["-fno-builtin", "-fno-stack-protector", "-U_FORTIFY_SOURCE", level];
    const part = made("part.o", ...flags, "-c", join(native, "small-libc.c"));
    expect(run("objcopy", "--prefix-symbols=small_", part, `${part}.prefixed`).status).toBe(0);
    const check = join(import.meta.dirname, "small-libc.check.c");
    const program = made("check", "-O1", "-fno-builtin", check, `${part}.prefixed`);
    expect(run(program, directory)).toMatchObject({ status: 0, stdout: "the same\n", stderr: "" });
  });

  it("is what the client is linked with, also where the compiler adds checks of its own", () => {
    const source = join(native, "holdfast.c");
    const hardened = ["-fPIE", "-pie", "-D_FORTIFY_SOURCE=2", "-fstack-protector-all", "-O2"];
    const client = made("client", ...hardened, '-DHOLDFAST_BUILD_ID="abc"', source, ...smallLibc(source));
    expect(run(client, "--client-build-id")).toMatchObject({ status: 0, stdout: "abc\n", stderr: "" });
    expect(
      run("objcopy", "--only-section=.interp", "-O", "binary", client, join(directory, "interpreter")).status,
    ).toBe(0);
    expect(run("cat", join(directory, "interpreter")).stdout).toBe("");
  });
});
