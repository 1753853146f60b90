/** A block that a host never reads would be consent: exit code 2 is the other way to say it. */
import { accessSync, constants } from "node:fs";
import { describe, expect } from "vitest";
import { clientOf } from "../../src/entry/native/client.ts";
import { launcherOf } from "../../src/entry/native/launcher.ts";
import { hasClient, startDaemon } from "../daemon/started.ts";
import { claudeShell } from "../payloads.ts";
import { distDir, it, type Machine, program } from "../program.ts";

const FULL = "/dev/full";
const hasFull = (() => {
  try {
    accessSync(FULL, constants.W_OK);
    return true;
  } catch {
    return false;
  }
})();

const client = clientOf({ distDir, stateDir: "/nowhere" });
const launcher = launcherOf(distDir);
const PROGRAMS = Object.entries({ "bin/holdfast": program, "the client": client, "the launcher": launcher }).filter(
  ([, file]) => file !== undefined,
);

/** With standard output on a full disk, or as the words say. */
const blocked = (machine: Machine, file = "", env = {}, output = `>${FULL}`, before = "") =>
  machine.run(["-c", `${before}exec "$0" hook --host claude-code ${output}`, file], {
    command: "sh",
    env,
    stdin: JSON.stringify(claudeShell(machine, "git push --force origin main")),
  });
const UNSAID = { code: 2, stdout: "", stderr: expect.stringMatching(/could not be written.*so the call is blocked/) };

describe.skipIf(!hasFull)("an answer that cannot be written to standard output", () => {
  it.for(PROGRAMS)("is a block, said on standard error: %s, without a daemon", async ([, file], { machine }) => {
    expect(await blocked(machine, file, { HOLDFAST_DAEMON: "off" })).toMatchObject(UNSAID);
  });

  it.runIf(launcher)("is a block where standard output is closed: the launcher", async ({ machine }) => {
    expect(await blocked(machine, launcher, { HOLDFAST_DAEMON: "off" }, ">&-")).toMatchObject(UNSAID);
  });

  it.runIf(client)("is a block where standard output is closed, or a file that may not grow", async ({ machine }) => {
    for (const env of [{ HOLDFAST_DAEMON: "off" }, {}]) {
      expect(await blocked(machine, client, env, ">&-")).toMatchObject(UNSAID);
      const answer = machine.write("answer", "");
      expect((await blocked(machine, client, env, `>'${answer}'`, "ulimit -f 0; ")).code).toBe(2);
    }
  });

  it.runIf(hasClient && client)(
    "is a block, said on standard error: the client, with a daemon",
    async ({ machine }) => {
      await startDaemon(machine);
      expect(await blocked(machine, client)).toMatchObject(UNSAID);
      expect(machine.records("audit")).toHaveLength(1);
    },
  );
});
