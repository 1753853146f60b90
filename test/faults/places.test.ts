/** What lies where the daemon's socket belongs: nobody is let through by it, and a daemon comes back where one can. */
import { chmodSync, chownSync, lstatSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect } from "vitest";
import { signal } from "../processes.ts";
import { hasClient, it, type Scene, until } from "./scene.fixture.ts";

type Spoil = (scene: Scene) => Promise<void> | void;

/** A daemon that is alive and a place that no client trusts. */
const underADaemon =
  (spoil: (scene: Scene, runDir: string) => void): Spoil =>
  async (scene) => {
    await scene.startDaemon();
    spoil(scene, dirname(scene.socket));
  };

async function expectAnswer(scene: Scene, name: string): Promise<void> {
  await scene.expectHandled("block", name, await scene.call("block", name).ended);
}

describe
  .skipIf(!hasClient)
  .concurrent("a call is answered by the engine, and the next daemon serves again, where", () => {
    it.for<[string, Spoil]>([
      [
        "the socket is what a killed daemon left",
        async (scene) => {
          const daemon = await scene.startDaemon();
          signal(daemon.pid, "SIGKILL");
          await daemon.ended();
        },
      ],
      ["a daemon hangs behind the socket", async (scene) => signal((await scene.startDaemon()).pid, "SIGSTOP")],
      [
        "a file lies in the socket's place",
        ({ socket }) => {
          mkdirSync(dirname(socket), { mode: 0o700 });
          writeFileSync(socket, "", { mode: 0o600 });
        },
      ],
      [
        "a link lies in the socket's place, to a daemon that serves",
        underADaemon(({ machine, socket }) => {
          renameSync(socket, join(machine.dir, "elsewhere"));
          symlinkSync(join(machine.dir, "elsewhere"), socket);
        }),
      ],
      ["the socket is open to others", underADaemon(({ socket }) => chmodSync(socket, 0o666))],
      ["the directory is open to others", underADaemon((_, runDir) => chmodSync(runDir, 0o777))],
    ])("%s", async ([, spoil], { scene }) => {
      await spoil(scene);
      await expectAnswer(scene, "first");
      await until(async () => {
        const pid = (await scene.status())?.pid;
        return pid !== undefined && isPrivate(scene.socket) && isPrivate(dirname(scene.socket));
      }, "a daemon serves at a private place");
      // One that hangs notices nothing; any other sees that its place is taken, and ends.
      await until(() => scene.daemons().filter((pid) => !scene.isStopped(pid)).length === 1, "one is left");
      const { calls = 0 } = (await scene.status()) ?? {};
      await expectAnswer(scene, "second");
      expect((await scene.status())?.calls).toBe(calls + 1);
    });
  });

describe.skipIf(!hasClient).concurrent("a call is answered by the engine, and no daemon is started, where", () => {
  it.for<[string, (scene: Scene, runDir: string) => void]>([
    ["a file lies in the directory's place", (_, runDir) => writeFileSync(runDir, "")],
    [
      "a link lies in the directory's place",
      ({ machine }, runDir) => {
        mkdirSync(join(machine.dir, "elsewhere"), { mode: 0o700 });
        symlinkSync(join(machine.dir, "elsewhere"), runDir);
      },
    ],
  ])("%s", async ([, spoil], { scene }) => {
    spoil(scene, dirname(scene.socket));
    await expectAnswer(scene, "first");
    expect(scene.daemons()).toEqual([]);
    const { code, stderr } = await scene.machine.run(["daemon", "serve"]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("cannot start") });
  });

  it.skipIf(process.getuid?.() !== 0)(
    "the directory is somebody else's (needs root, to give it away)",
    async ({ scene }) => {
      const daemon = await scene.startDaemon();
      chownSync(dirname(scene.socket), 65534, 65534);
      await expectAnswer(scene, "first");
      const { code, stderr } = await scene.machine.run(["daemon", "serve"]);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("not a directory of yours") });
      expect(scene.daemons()).toEqual([daemon.pid]);
    },
  );

  it("a directory lies in the socket's place: a daemon says why it cannot start, and ends", async ({ scene }) => {
    mkdirSync(join(scene.socket, "full"), { recursive: true, mode: 0o700 });
    chmodSync(dirname(scene.socket), 0o700);
    const { code, stderr } = await scene.machine.run(["daemon", "serve"]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("cannot start") });
    await expectAnswer(scene, "first");
    await until(() => scene.daemons().length === 0, "none is left");
    rmSync(scene.socket, { recursive: true });
  });
});

const isPrivate = (path: string) => (lstatSync(path).mode & 0o077) === 0;
