import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { editTool, readTool, writeTool } from "./files.ts";
import { searchTool } from "./search.ts";
import { shellTool } from "./shell.ts";
import type { Tool } from "./tool.ts";

let dir: string;
let cwd: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "holdfast-tools-"));
  cwd = join(dir, "work");
  mkdirSync(join(cwd, "sub"), { recursive: true });
  writeFileSync(join(dir, "secret"), "outside");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const run = async (tool: Tool, input: JsonObject, signal = new AbortController().signal) =>
  tool.run(input, { cwd, env: { PATH: process.env.PATH }, signal, callId: "c", ranWith: () => {} });

describe("files", () => {
  it("stay inside the working directory, whatever dots and links the path has", async () => {
    symlinkSync(join(dir, "secret"), join(cwd, "link"));
    symlinkSync(dir, join(cwd, "sub", "up"));
    symlinkSync(join(dir, "not-there"), join(cwd, "dangling"));
    for (const path of ["../secret", join(dir, "secret"), "link", "sub/up/secret", "sub/../../secret"]) {
      await expect(run(readTool, { path }), path).rejects.toThrow("outside of the working directory");
      await expect(run(writeTool, { path, text: "x" }), path).rejects.toThrow("outside of the working directory");
    }
    await expect(run(writeTool, { path: "sub/up/new", text: "x" })).rejects.toThrow("outside");
    await expect(run(writeTool, { path: "dangling", text: "x" })).rejects.toThrow("leads nowhere");
    await expect(run(editTool, { path: "link", old: "out", new: "in" })).rejects.toThrow("outside");
    await expect(run(searchTool, { text: "outside", path: "sub/up" })).rejects.toThrow("outside");
    expect(await run(searchTool, { text: "outside" })).toBe('nothing holds "outside"');
    expect(readFileSync(join(dir, "secret"), "utf8")).toBe("outside");
  });

  it("a link that stays inside is followed, and so is a path through a linked working directory", async () => {
    symlinkSync(join(cwd, "sub"), join(cwd, "alias"));
    await run(writeTool, { path: "alias/a.txt", text: "one" });
    expect(readFileSync(join(cwd, "sub", "a.txt"), "utf8")).toBe("one");
    symlinkSync(cwd, join(dir, "elsewhere"));
    cwd = join(dir, "elsewhere");
    expect(await run(readTool, { path: "sub/a.txt" })).toBe("one");
  });

  it("read returns some lines and says how to go on; what is no text is refused", async () => {
    writeFileSync(join(cwd, "a"), ["1", "2", "3", "4"].join("\n"));
    expect(await run(readTool, { path: "a", from_line: 2, lines: 2 })).toBe(
      "2\n3\n(1 lines follow; from_line 4 goes on)",
    );
    writeFileSync(join(cwd, "b"), Buffer.from([1, 0, 2]));
    await expect(run(readTool, { path: "b" })).rejects.toThrow("not a text");
  });

  it("what is no file is neither read nor written: a pipe would hold up the whole process", async () => {
    execFileSync("mkfifo", [join(cwd, "pipe")]);
    await expect(run(readTool, { path: "pipe" })).rejects.toThrow("pipe is a pipe or a device, no file");
    await expect(run(editTool, { path: "pipe", old: "a", new: "b" })).rejects.toThrow("no file");
    await expect(run(writeTool, { path: "pipe", text: "x" })).rejects.toThrow("no file");
    await expect(run(readTool, { path: "sub" })).rejects.toThrow("sub is a directory, no file");
  });

  it("edit changes one place, or says why it cannot; a replacement is taken as it is written", async () => {
    writeFileSync(join(cwd, "a"), "x y x");
    await expect(run(editTool, { path: "a", old: "z", new: "" })).rejects.toThrow("not in a");
    await expect(run(editTool, { path: "a", old: "x", new: "" })).rejects.toThrow("2 times");
    await run(editTool, { path: "a", old: "y", new: "$&$1" });
    expect(readFileSync(join(cwd, "a"), "utf8")).toBe("x $&$1 x");
    await run(editTool, { path: "a", old: "x", new: "z", all: true });
    expect(readFileSync(join(cwd, "a"), "utf8")).toBe("z $&$1 z");
  });

  it("search names file and line, and passes over what is not the person's", async () => {
    mkdirSync(join(cwd, "node_modules"));
    writeFileSync(join(cwd, "node_modules", "x"), "needle");
    writeFileSync(join(cwd, "sub", "a"), "hay\nthe needle.*\n");
    expect(await run(searchTool, { text: "needle.*" })).toBe("sub/a:2: the needle.*");
  });
});

it("search shows the beginning of a long line, and no half of a character", async () => {
  writeFileSync(join(cwd, "long"), `${"x".repeat(299)}😀 needle`);
  expect(await run(searchTool, { text: "needle" })).toBe(`long:1: ${"x".repeat(299)}`);
});

describe("shell", () => {
  it("runs in the working directory and returns what was printed; a failure says how it ended", async () => {
    expect(await run(shellTool, { command: "ls; echo err >&2" })).toBe("sub\nerr");
    await expect(run(shellTool, { command: "echo before; exit 3" })).rejects.toThrow("exit 3\nbefore");
    await expect(run(shellTool, { command: "kill -9 $$" })).rejects.toThrow("ended by SIGKILL");
  });

  it("is marked as an agent's, so that it cannot answer for a person", async () => {
    expect(await run(shellTool, { command: "echo $AI_AGENT" })).toBe("holdfast-agent");
  });

  it("what takes too long is ended, with all it has started", async () => {
    const command = "(sleep 60; touch late) & echo started; sleep 60";
    await expect(run(shellTool, { command, timeout_ms: 2_000 })).rejects.toThrow(/ended after 2000 ms[\s\S]*started/);
  });

  it("something in the background does not keep the call open, and does not outlive it", async () => {
    const command = "sleep 60 & echo $!";
    const pid = Number(await run(shellTool, { command }));
    expect(pid).toBeGreaterThan(1);
    const isAlive = () => {
      try {
        return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.startsWith("Z") === false;
      } catch {
        return false;
      }
    };
    while (isAlive()) await new Promise((soon) => setTimeout(soon, 10));
  });

  it("prints more than is kept: the rest is counted", async () => {
    const output = String(await run(shellTool, { command: "head -c 150000 /dev/zero | tr '\\\\0' a" }));
    expect(output).toContain("(50000 bytes more were printed and left out)");
  });

  it("does not start once the turn is cancelled", async () => {
    await expect(run(shellTool, { command: "touch made" }, AbortSignal.abort())).rejects.toThrow();
    expect(await run(shellTool, { command: "ls" })).toBe("sub");
  });
});
