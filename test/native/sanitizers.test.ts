import { existsSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { afterAll, describe, expect } from "vitest";
import { claudeShell } from "../payloads.ts";
import { it } from "../program.ts";
import {
  answering,
  canCompileWith,
  cleanUp,
  compileClient,
  fakeNode,
  send,
  socketIn,
  startStandIn,
  upToJudged,
} from "./client.fixture.ts";
import { accepted, answer, declined, header, judging, type Step } from "./stand-in.ts";

const FLAGS = ["-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
const canSanitize = canCompileWith(FLAGS);
if (!canSanitize) console.warn("the native client is not run with sanitizers: the compiler has none");
const client = canSanitize ? compileClient("sanitized", { flags: FLAGS, acceptedMs: 5000, node: "/nowhere/node" }) : "";
const fakeNodeDir = dirname(fakeNode());
/** Where there is a /run, it is the system's. */
const ROOT_WORD = existsSync("/run") ? "unsafe" : "absent";
/** What sun_path leaves of its 108 bytes (104 on macOS), without the NUL. */
const PATH_ROOM = (process.platform === "darwin" ? 104 : 108) - "/tmp//run/0123456789abcdef.sock".length;
afterAll(cleanUp);

describe.skipIf(!canSanitize)("with sanitizers for memory and undefined behaviour", () => {
  it("the main paths are clean", async ({ machine }) => {
    const REQUEST: Step = { do: "request" };
    const denied = { code: 0, stdout: expect.stringContaining('"deny"'), stderr: "" };
    const push = JSON.stringify(claudeShell(machine, "git push --force origin main"));
    const long = Buffer.alloc(300 * 1024, "x");
    const calls: [string, readonly Step[] | undefined, string, object][] = [
      ["relayed", answering(5, long, Buffer.from("err")), push, { code: 5, stdout: `${long}`, stderr: "err" }],
      ["empty answer", answering(0), push, { code: 0, stdout: "", stderr: "" }],
      ["no daemon", undefined, push, denied],
      ["declined", [REQUEST, send(declined)], push, denied],
      ["oversized", [REQUEST, send(accepted(10)), send(header(2, 0xffffffff))], push, denied],
      ["broken after the judgement", [...upToJudged, send(answer(0, long, long).fill(0xff, 12, 20))], push, denied],
      ["judging, then nothing of use", [REQUEST, send(accepted(500)), send(judging), send(declined)], push, denied],
      ["closed after the judgement", [...upToJudged, { do: "close" }], push, denied],
      ["large", answering(0), JSON.stringify({ ...JSON.parse(push), padding: `${long}` }), denied],
      ["unbalanced", answering(0), '}}}"', { code: 2 }],
      ["half", answering(0), '{"a":"\\', { code: 2 }],
    ];
    for (const [name, steps, stdin, expected] of calls) {
      if (existsSync(socketIn(machine.stateDir))) rmSync(socketIn(machine.stateDir));
      const standIn = steps ? await startStandIn(machine.stateDir, steps) : undefined;
      const args = ["hook", "--host", "claude-code"];
      const { code, stdout, stderr } = await machine.run(args, { command: client, stdin });
      expect({ name, code, stdout, stderr }).toMatchObject({ name, ...expected });
      expect(stderr).not.toMatch(/Sanitizer|runtime error/);
      await standIn?.stop();
    }
  });

  /** Not by the engine: it would write into them. */
  it.for([
    ["../.././../../..//x/./y/..", "absent"],
    ["..", "absent"],
    ["/..", ROOT_WORD],
    ["/", ROOT_WORD],
    ["////", ROOT_WORD],
    ["x".repeat(108 - "/run/0123456789abcdef.sock".length), "off"],
    [`/tmp/${"x".repeat(PATH_ROOM - 1)}`, "absent"],
    [`/tmp/${"x".repeat(PATH_ROOM)}`, "off"],
    [`/tmp/${"x".repeat(5000)}`, "off"],
  ] as const)("a state directory %s: %s", async ([dir, word], { machine }) => {
    const env = { HOLDFAST_STATE_DIR: dir, PATH: fakeNodeDir };
    const { stdout } = await machine.run(["hook"], { command: client, stdin: "{}", env });
    expect(JSON.parse(stdout).env.HOLDFAST_FALLBACK).toBe(word);
  });
});
