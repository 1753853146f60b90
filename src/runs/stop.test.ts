import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { createRun } from "./create.ts";
import { aRun } from "./run.fixture.ts";
import { type Scene, scene } from "./runs.fixture.ts";
import { resumeRun, startRun } from "./start.ts";
import type { RunStore } from "./store.ts";
import { readRun } from "./update.ts";

let at: Scene;
afterEach(() => at.remove());

/** The backend has read its prompt: which line of its script is next goes by that. */
async function underWay(): Promise<void> {
  while (at.prompts().length === 0) await sleep(10);
}

it("whoever drives a run stops it when somebody asks, with all that it started, and the log says who asked", async () => {
  at = scene([["sleep 600000"], ["set one completed", "set two completed"]]);
  const { id } = await createRun(at.ports, at.wanted({}, {}, { isStarted: false }));
  const driven = startRun(at.ports, id);
  await underWay();
  await at.ports.store.requestStop(id, "mira", "cli");
  expect(await driven).toMatchObject({ exitCode: 130, run: { status: "aborted", attempts: [{ isAborted: true }] } });
  const asked = (await at.events(id)).filter(({ type }) => type === "run.stop_requested");
  expect(asked.map(({ data }) => data)).toEqual([{ by: "mira" }]);

  // The wish was for that session: the next one goes on.
  expect(await resumeRun(at.ports, id)).toMatchObject({ exitCode: 0 });
});

it("a run that nobody drives cannot be stopped, and says so", async () => {
  at = scene();
  const { id } = await createRun(at.ports, at.wanted({}, {}, { isStarted: false }));
  await expect(at.ports.store.requestStop(id, "mira", "cli")).rejects.toMatchObject({ code: "HF1081" });
  expect(await at.types(id)).not.toContain("run.stop_requested");
  expect((await readRun(at.ports, id)).status).toBe("initialized");
});

it("a list is searched by any of its words and read in pages, without a gap among runs of one moment", async () => {
  at = scene();
  const { store } = at.ports;
  for (let count = 0; count < 7; count++) {
    const reservation = await store.reserve("shop");
    const name = count % 2 === 0 ? "Payout limits" : "Greeting";
    await store.create(aRun({ id: reservation.id, name, group: `g${count}` }), reservation, at.wanted());
  }
  const seen: string[] = [];
  for (let after: Parameters<RunStore["list"]>[0]["after"]; ; ) {
    const page = await store.list({ limit: 2, ...(after ? { after } : {}) });
    seen.push(...page.map(({ id }) => id));
    after = page.at(-1);
    if (page.length < 2) break;
  }
  expect(new Set(seen).size).toBe(7);
  expect(seen).toEqual((await store.list({})).map(({ id }) => id));
  expect(await store.list({ search: "LIMITS pay" })).toHaveLength(4);
  expect(await store.list({ search: "limits g3" })).toHaveLength(0);
  expect((await store.list({ search: seen[3] ?? "" })).map(({ id }) => id)).toEqual([seen[3]]);
});
