import { execFileSync } from "node:child_process";
import { getEventListeners } from "node:events";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv } from "ajv";
import { buildSync } from "esbuild";
import { afterAll, describe, expect, it } from "vitest";
import type { HookFailure } from "../core/failure.ts";
import type { JudgeContext } from "../core/hook.ts";
import { type CommandHookOptions, type CommandRequest, commandHook, MAX_STDOUT_BYTES, runCommand } from "./command.ts";
import { sampleEvent, sampleEvents, shell } from "./wire.fixture.ts";
import { wireInput } from "./wire-input.ts";
import { wireSchemas } from "./wire-schemas.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-command-")));
afterAll(() => rmSync(place, { recursive: true, force: true }));

const run = (command: string, request: Partial<CommandRequest> = {}) =>
  runCommand({ command, cwd: place, env: process.env, stdin: "{}", timeoutMs: 10_000, ...request });

const context = (): JudgeContext => ({ now: new Date(0), options: {}, signal: new AbortController().signal });
const judge = async (command: string, options: Partial<CommandHookOptions> = {}, event = sampleEvent("pre_tool_use")) =>
  commandHook({ name: "h", command, timeoutMs: 10_000, ...options })({ ...event, cwd: place }, context());

const failureOf = async (promise: Promise<unknown>): Promise<HookFailure> => {
  const error = await promise.then(
    () => undefined,
    (error) => error,
  );
  expect(error).toMatchObject({ name: "HookFailure" });
  return error;
};

const ofSize = (bytes: number) => sampleEvent("pre_tool_use", { tool: shell("x".repeat(bytes)) });

/** A process that ended but was not yet taken off the table by its parent does nothing any more. */
const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, "latin1") : "";
  return !/\) [ZX] /.test(stat);
};
const pidsIn = (file: string) => readFileSync(join(place, file), "utf8").split("\n").filter(Boolean).map(Number);
const elapsedMs = async (work: () => Promise<unknown>) => {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
};

/** Commands that should be ended, or not be waited for, sleep for 30 s. */
const LONG_BEFORE_ITS_END_MS = 20_000;

/** One that was killed is gone once the machine gets to it. */
const isGone = (file: string) => expect.poll(() => pidsIn(file).filter(isAlive)).toEqual([]);

/** Timed out after it had noted so many of its processes in the file: a busy machine takes a while to start them. */
async function timedOutWith(count: number, file: string, command: string): Promise<void> {
  for (const timeoutMs of [400, 1_500, 5_000, 15_000]) {
    writeFileSync(join(place, file), "");
    expect((await run(command, { timeoutMs })).end).toEqual({ kind: "timeout" });
    if (pidsIn(file).length === count) return;
    await isGone(file);
  }
  throw new Error(`${pidsIn(file).length} of ${count} processes were started`);
}

describe("a command", () => {
  it("Q-21 runs through the shell, pipes and all", async () => {
    const result = await run("printf 'a\\nb\\n' | wc -l | tr -d ' '; echo warning >&2; exit 3");
    expect(result).toEqual({ end: { kind: "exit", code: 3 }, stdout: "2\n", stderr: "warning\n" });
  });

  it("Q-22 runs in the session's directory, which its input names", async () => {
    const file = join(place, "where");
    await judge(`cat > ${file}.json; pwd > ${file}`);
    expect(readFileSync(file, "utf8").trim()).toBe(place);
    expect(JSON.parse(readFileSync(`${file}.json`, "utf8")).cwd).toBe(place);
  });

  it("Q-22 runs in the process's directory where the session has none", async () => {
    const file = join(place, "nowhere");
    const event = sampleEvent("stop", { cwd: "" });
    await commandHook({ name: "h", command: `pwd > ${file}`, timeoutMs: 5000 })(event, context());
    expect(readFileSync(file, "utf8").trim()).toBe(process.cwd());
  });

  it("Q-22 in a directory that does not exist fails and says so", async () => {
    const failure = await failureOf(judge("true", { cwd: join(place, "gone") }));
    expect(failure).toMatchObject({ code: "missing", message: expect.stringContaining("gone does not exist") });
  });

  it("Q-23 reads one JSON object and then the end, valid against the published schema of its event", async () => {
    const ajv = new Ajv();
    const schemas = wireSchemas();
    for (const event of sampleEvents()) {
      const file = join(place, `${event.name}.json`);
      await commandHook({ name: "h", command: `cat > ${file}`, timeoutMs: 5000 })(event, context());
      const stdin = readFileSync(file, "utf8");
      expect(stdin).toBe(JSON.stringify(wireInput(event)));
      const schema = schemas[`${event.name.replaceAll("_", "-")}.command.input.schema.json`] as object;
      expect(ajv.validate(schema, JSON.parse(stdin))).toBe(true);
    }
  });

  it("Q-11 Q-28 inherits the environment, has its own entries over it, and learns who called it", async () => {
    const file = join(place, "env");
    const inherited = { ...process.env, KEPT: "kept", CHANGED: "old", HOLDFAST_CONFIG_FILE_DIR: "/stale" };
    const names = "$KEPT $CHANGED $HOLDFAST_HOOK $HOLDFAST_EVENT [$HOLDFAST_CONFIG_FILE_DIR] [$HOLDFAST_INTERNAL]";
    const env = { CHANGED: "new", HOLDFAST_HOOK: "an impostor" };
    await judge(`echo "${names}" > ${file}`, { env, inherited, configFile: join(place, "holdfast.toml") });
    expect(readFileSync(file, "utf8").trim()).toBe(`kept new h pre_tool_use [${place}] []`);
    await judge(`echo "${names}" > ${file}`, { env, inherited });
    expect(readFileSync(file, "utf8").trim()).toBe("kept new h pre_tool_use [] []");
  });

  it("Q-28 may print bytes that are no UTF-8", async () => {
    const printed = await run("printf '\\377\\376\\000 \\303'");
    expect(printed.stdout).toBe("\ufffd\ufffd\u0000 \ufffd");
    expect(await failureOf(judge("head -c 4000 /dev/urandom"))).toMatchObject({ code: "invalid-answer" });
    expect(await failureOf(judge("printf '\\377\\376' >&2; exit 9"))).toMatchObject({ code: "exit" });
  });

  it("Q-29 may print nothing", async () => {
    expect(await judge("true")).toEqual({ opinion: { kind: "none" } });
  });

  it("keeps characters whole that arrive in pieces", async () => {
    expect((await run("printf '\\303'; sleep 0.1; printf '\\251'")).stdout).toBe("é");
  });

  it("that cannot be started at all is a result, not an exception", async () => {
    expect((await run("true\0")).end.kind).toBe("not-started");
    expect((await run(`: ${"x".repeat(3_000_000)}`)).end.kind).toBe("not-started");
  });
});

describe("a command that does not read its input", () => {
  it.each(["exec true", "printf '{}'", "exit 0"])("Q-25 W4 never fails, 50 times over: %s", async (command) => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => judge(command)));
    for (const answer of answers) expect(answer).toEqual({ opinion: { kind: "none" } });
  });

  it.each([200_000, 5_000_000])("Q-25 W4 never fails with %d bytes of input", async (bytes) => {
    for (let run = 0; run < 5; run++) {
      expect(await judge(`printf '{"decision":"block","reason":"No."}'`, {}, ofSize(bytes))).toEqual({
        opinion: { kind: "block", reason: "No." },
      });
    }
  });

  it("Q-25 may close it and go on", async () => {
    expect(await judge("exec 0<&-; sleep 0.2; echo '{}'", {}, ofSize(5_000_000))).toEqual({
      opinion: { kind: "none" },
    });
  });

  it("Q-26 W4 is held to its timeout however large the input is", async () => {
    for (const bytes of [200_000, 5_000_000]) {
      const ms = await elapsedMs(() => failureOf(judge("sleep 30", { timeoutMs: 300 }, ofSize(bytes))));
      expect(ms).toBeLessThan(LONG_BEFORE_ITS_END_MS);
    }
  });

  it("takes all of a large input when it does read", async () => {
    const { stdout } = await run("sleep 0.1; wc -c | tr -d ' \\n'", { stdin: "x".repeat(5_000_000) });
    expect(stdout).toBe("5000000");
  });

  it("may print while it reads: neither side waits for the other", async () => {
    const input = "x".repeat(900_000);
    expect((await run("cat", { stdin: input })).stdout).toBe(input);
  });
});

describe("a command that takes too long", () => {
  it("Q-10 W14 fails with the time it had", async () => {
    const ms = await elapsedMs(async () => {
      const failure = await failureOf(judge("sleep 30", { timeoutMs: 500 }));
      expect(failure).toMatchObject({ code: "timeout", message: "pre_tool_use command timed out after 0.5 s" });
    });
    expect(ms).toBeGreaterThan(450);
    expect(ms).toBeLessThan(LONG_BEFORE_ITS_END_MS);
  });

  it("Q-27 W5 is gone afterwards, with its children and grandchildren, and does nothing more", async () => {
    const busy = "sh -c 'echo $$ >> tree; while :; do : > late; sleep 0.05; done'";
    await timedOutWith(
      4,
      "tree",
      `echo $$ >> tree; sh -c 'echo $$ >> tree; sleep 30 & echo $! >> tree; wait' & ${busy} & wait`,
    );
    await isGone("tree");
    rmSync(join(place, "late"));
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(existsSync(join(place, "late"))).toBe(false);
  });

  it("Q-27 W5 is gone even if it ignores the request to end", async () => {
    const stubborn =
      "trap '' TERM INT HUP; echo $$ >> stubborn; (trap '' TERM; echo x | cat; sleep 30) & echo $! >> stubborn; sleep 30; sleep 30";
    await timedOutWith(2, "stubborn", stubborn);
    await isGone("stubborn");
  });

  it("Q-27 W5 takes along a child that cleared its environment", async () => {
    await timedOutWith(1, "cleared", "env -i sleep 30 & echo $! >> cleared; wait");
    await isGone("cleared");
  });

  it("W5 may clean up when it is asked to end", async () => {
    const cleans = "trap ': > cleaned; exit 0' TERM; echo $$ >> trapped; while :; do sleep 0.02; done";
    // It has a moment for it, which a busy machine may let pass.
    for (let round = 0; round < 10 && !existsSync(join(place, "cleaned")); round++)
      await timedOutWith(1, "trapped", cleans);
    expect(existsSync(join(place, "cleaned"))).toBe(true);
  });

  it.runIf(process.platform === "linux")("Q-27 W5 takes along what left its process group", async () => {
    const daemon =
      "setsid sh -c 'trap \"\" TERM; echo $$ >> left; while :; do sleep 0.05; done' </dev/null >/dev/null 2>&1 &";
    const orphan = "sh -c 'setsid sh -c \"echo \\$\\$ >> left; sleep 30\" </dev/null >/dev/null 2>&1 &'";
    await timedOutWith(2, "left", `${daemon} ${orphan}; sleep 30`);
    await isGone("left");
  });

  it("a nested run's processes carry the mark of the outer one too", async () => {
    const outer = await run('printf %s "$HOLDFAST_HOOK_RUN"');
    const inner = await run('printf %s "$HOLDFAST_HOOK_RUN"', {
      env: { ...process.env, HOLDFAST_HOOK_RUN: outer.stdout },
    });
    expect(inner.stdout.split(",")).toHaveLength(2);
    expect(inner.stdout.split(",")[0]).toBe(outer.stdout);
  });

  it("a timeout longer than a timer can wait is not taken for none", async () => {
    expect((await run("sleep 0.2; echo ok", { timeoutMs: 9e12 })).stdout).toBe("ok\n");
  });
});

describe("a command nobody waits for", () => {
  it("is ended, with its children", async () => {
    const controller = new AbortController();
    writeFileSync(join(place, "aborted"), "");
    const ended = run("sleep 30 & echo $! >> aborted; wait", { signal: controller.signal });
    await expect.poll(() => pidsIn("aborted")).toHaveLength(1);
    controller.abort();
    expect((await ended).end).toEqual({ kind: "aborted" });
    await isGone("aborted");
  });

  it("is not even started once it is known", async () => {
    const result = await run("touch started", { signal: AbortSignal.abort() });
    expect(result.end).toEqual({ kind: "aborted" });
    expect(existsSync(join(place, "started"))).toBe(false);
  });

  it("leaves no listener behind on the signal it was given", async () => {
    const { signal } = new AbortController();
    await run("true", { signal });
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});

describe("a command whose child keeps its output open", () => {
  it("does not stall", async () => {
    const ms = await elapsedMs(async () => {
      const verdict = await judge(`sleep 30 & printf '{"decision":"block","reason":"No."}'`);
      expect(verdict.opinion).toEqual({ kind: "block", reason: "No." });
    });
    expect(ms).toBeLessThan(LONG_BEFORE_ITS_END_MS);
  });

  it("loses nothing it printed, even when this process was busy as it ended", async () => {
    const printing = run(`sleep 30 & head -c 150000 /dev/zero | tr '\\0' x; echo $! > holder`);
    const until = performance.now() + 600;
    await new Promise((resolve) => setTimeout(resolve, 1));
    while (performance.now() < until);
    expect((await printing).stdout).toHaveLength(150_000);
    for (const pid of pidsIn("holder")) process.kill(pid);
  });

  it("does not stall when that child floods stderr", async () => {
    const ms = await elapsedMs(() => run("(sleep 0.3; exec yes >&2) & echo $! > flood; sleep 0.5; printf '{}'"));
    expect(ms).toBeLessThan(LONG_BEFORE_ITS_END_MS);
    await isGone("flood");
  });
});

describe("a command that prints too much", () => {
  it("W20 fails once it is past the limit, and is ended", async () => {
    const ms = await elapsedMs(async () => {
      expect(await failureOf(judge("echo $$ >> yes; exec yes"))).toMatchObject({ code: "output-limit" });
    });
    expect(ms).toBeLessThan(LONG_BEFORE_ITS_END_MS);
    await isGone("yes");
  });

  it("W20 fails on a gigabyte, keeping no more than the limit of it", async () => {
    const before = process.memoryUsage().rss;
    const result = await run("head -c 1073741824 /dev/zero");
    expect(result.end).toEqual({ kind: "output-limit" });
    expect(result.stdout).toHaveLength(MAX_STDOUT_BYTES);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 2 ** 20);
  });

  it("W20 may print exactly the limit", async () => {
    const { end, stdout } = await run(`head -c ${MAX_STDOUT_BYTES} /dev/zero`);
    expect([end, stdout.length]).toEqual([{ kind: "exit", code: 0 }, MAX_STDOUT_BYTES]);
  });

  it("W20 keeps the first 64 KiB of stderr and drops the rest without stalling the command", async () => {
    const { end, stderr } = await run("head -c 10000000 /dev/zero >&2");
    expect([end, stderr.length]).toEqual([{ kind: "exit", code: 0 }, 64 * 1024]);
  });
});

describe("this process", () => {
  const bundle = join(place, "command.cjs");
  const { metafile } = buildSync({
    entryPoints: [join(import.meta.dirname, "command.ts")],
    bundle: true,
    platform: "node",
    format: "cjs",
    outfile: bundle,
    metafile: true,
    logLevel: "silent",
  });

  it("ends at once after a command, whatever the command left running", () => {
    const script = `
      const { runCommand } = require(${JSON.stringify(bundle)});
      const request = { cwd: ".", env: process.env, stdin: "x".repeat(1e6), timeoutMs: 60_000 };
      runCommand({ ...request, command: "sleep 30 & echo hello" }).then(({ stdout }) => console.log(stdout));`;
    const startedAt = performance.now();
    const stdout = execFileSync(process.execPath, ["-e", script], { encoding: "utf8" });
    expect(stdout.trim()).toBe("hello");
    expect(performance.now() - startedAt).toBeLessThan(LONG_BEFORE_ITS_END_MS);
  });

  it.each([
    ["cannot be started", { command: "true", cwd: "/no/such/directory" }],
    ["prints too much", { command: "yes", cwd: "." }],
    ["runs too long", { command: "sleep 30", cwd: ".", timeoutMs: 100 }],
  ])("ends at once after a command that %s", (_, request) => {
    const script = `
      const { runCommand } = require(${JSON.stringify(bundle)});
      const request = { env: process.env, stdin: "", timeoutMs: 60_000, ...${JSON.stringify(request)} };
      runCommand(request).then(({ end }) => console.log(end.kind));`;
    const startedAt = performance.now();
    execFileSync(process.execPath, ["-e", script]);
    expect(performance.now() - startedAt).toBeLessThan(LONG_BEFORE_ITS_END_MS);
  });

  it("loads nothing but small built-ins until a command runs", () => {
    const loaded = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
    expect([...new Set(loaded)].sort()).toEqual(["node:fs", "node:path"]);
    const script = `require(${JSON.stringify(bundle)}); console.log(process.moduleLoadList.filter((m) => /child_process/.test(m)).length)`;
    expect(execFileSync(process.execPath, ["-e", script], { encoding: "utf8" }).trim()).toBe("0");
  });
});
