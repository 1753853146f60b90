import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { removeScratch, watched } from "./backends.fixture.ts";
import { commandBackend } from "./command.ts";
import { KEPT_BYTES } from "./program-process.ts";

afterEach(removeScratch);

const shell = (script: string) => ({ backendConfig: { command: ["sh", "-c", script] } });

describe("a command as a backend", () => {
  it("R-25 is given the prompt on standard input and as a file, without a shell of ours", async () => {
    const { invocation, output } = watched(
      shell('cat; printf "|"; cat "$HOLDFAST_PROMPT_FILE"; printf "|%s" "$0" "$1"'),
      {
        prompt: "Zähl $(echo nicht) `mit`",
      },
    );
    const { settings } = invocation;
    const result = await commandBackend.invoke({
      ...invocation,
      settings: { ...settings, backendArgs: ["a b", "$HOME"] },
    });

    expect(result.stdout).toBe("Zähl $(echo nicht) `mit`|Zähl $(echo nicht) `mit`|a b|$HOME");
    expect(result.transcript).toBe(result.stdout);
    expect(output()).toBe(result.stdout);
  });

  it("R-25 tells exit code, signal and what was said on both streams", async () => {
    const exit = await commandBackend.invoke(watched(shell("echo out; echo err >&2; exit 7")).invocation);
    expect(exit).toMatchObject({ exitCode: 7, signal: null, stdout: "out\n", stderr: "err\n" });
    const killed = await commandBackend.invoke(watched(shell("kill -9 $$")).invocation);
    expect(killed).toMatchObject({ exitCode: null, signal: "SIGKILL", isTimedOut: false, isAborted: false });
  });

  it("keeps the end of a long output in memory and all of it in the file", async () => {
    const { invocation, output } = watched(shell("head -c 5000000 /dev/zero | tr '\\0' x; echo; echo LAST"));
    const result = await commandBackend.invoke(invocation);
    expect(result.stdout.length).toBe(KEPT_BYTES.stdout);
    expect(result.stdout.endsWith("x\nLAST\n")).toBe(true);
    expect(output().length).toBe(5_000_006);
  });

  const TREE =
    "sh -c 'echo $$ > child; exec tail -f /dev/null' & setsid sh -c 'echo $$ > away; exec tail -f /dev/null' & wait";
  const treeOf = (cwd: string): number[] =>
    ["child", "away"]
      .map((name) => join(cwd, name))
      .map((file) => (existsSync(file) ? Number(readFileSync(file, "utf8")) : 0))
      .filter((pid) => pid > 0);
  /** One that was killed is gone once the machine gets to it. */
  const isGone = (pids: readonly number[]) => expect.poll(() => pids.filter(isRunning)).toEqual([]);

  it("an abort ends the whole tree, also what left the group", async () => {
    const { invocation, abort, processes } = watched(shell(TREE));
    const running = commandBackend.invoke(invocation);
    await expect.poll(() => treeOf(invocation.settings.cwd)).toHaveLength(2);
    abort.abort();
    expect(await running).toMatchObject({ isTimedOut: false, isAborted: true });
    expect(processes).toHaveLength(1);
    await isGone(treeOf(invocation.settings.cwd));
  });

  it("a timeout ends the whole tree, also what left the group", async () => {
    // A busy machine takes a while to start them all.
    for (const timeoutMs of [700, 3_000, 12_000]) {
      const { invocation, processes } = watched(shell(TREE), { timeoutMs });
      expect(await commandBackend.invoke(invocation)).toMatchObject({ isTimedOut: true, isAborted: false });
      expect(processes).toHaveLength(1);
      const pids = treeOf(invocation.settings.cwd);
      await isGone(pids);
      if (pids.length === 2) return;
    }
    throw new Error("they were never started");
  });

  it("one that was aborted before is not started", async () => {
    const { invocation, abort } = watched(shell("touch started"));
    abort.abort();
    expect(await commandBackend.invoke(invocation)).toMatchObject({ isAborted: true, exitCode: null });
    expect(existsSync(join(invocation.settings.cwd, "started"))).toBe(false);
  });

  it("something left in the background does not hold the attempt up", async () => {
    const { invocation } = watched(shell("sleep 20 & echo $!"));
    const result = await commandBackend.invoke(invocation);
    expect(result.exitCode).toBe(0);
    const pid = Number(result.stdout);
    expect(isRunning(pid)).toBe(true);
    process.kill(pid, "SIGKILL");
  });

  it("a directory that is not there is an error that names it", async () => {
    const { invocation } = watched({ ...shell("true"), cwd: "/no/such/directory" });
    await expect(commandBackend.invoke(invocation)).rejects.toThrow("/no/such/directory does not exist");
  });

  it("without a command it says how to set one", async () => {
    await expect(commandBackend.invoke(watched({}).invocation)).rejects.toMatchObject({ code: "HF1043" });
  });
});

/** One that ended and waits to be taken off the table is gone. */
function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
