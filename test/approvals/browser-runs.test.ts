import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createRun } from "../../src/runs/create.ts";
import { stored } from "../../src/runs/files/store.fixture.ts";
import { noteRun } from "../../src/runs/lifecycle.ts";
import { type Scene, scene } from "../../src/runs/runs.fixture.ts";
import { startRun } from "../../src/runs/start.ts";
import { readRun } from "../../src/runs/update.ts";
import { type Bench, openBench } from "./browser.fixture.ts";
import { LENA, MIRA } from "./browser-story.fixture.ts";

let bench: Bench;
let at: Scene;
beforeAll(async () => {
  // The backend is a real process: it says what it does to the tasks, and waits in between.
  at = scene([["set one in_progress", "sleep 1500", "set one completed", "sleep 600000"]]);
  bench = await openBench({ runsRoot: join(at.dir, "runs") });
});
afterAll(async () => {
  await bench.close();
  at.remove();
});
afterEach(async () => {
  await bench.leave();
  expect(bench.complaints.splice(0)).toEqual([]);
});

describe("a run that works while somebody looks", () => {
  it("appears in the list, moves over the board, and ends where a person stops it", async () => {
    const page = await bench.visit(MIRA);
    await page.goto(`${bench.url}/runs`);
    await page.getByText("Live", { exact: true }).waitFor();
    const { id } = await createRun(at.ports, at.wanted({}, { name: "Watched" }, { isStarted: false }));
    await page.locator(`#run-${id}`).getByText("Initialized").waitFor();
    await page.getByRole("link", { name: "Watched" }).click();
    await page.getByText("Live", { exact: true }).waitFor();
    await page.getByText(`holdfast resume ${id}`).waitFor();

    const driven = startRun(at.ports, id);
    const column = (name: string) => page.getByRole("region", { name: new RegExp(`^\\S* ?${name}`) });
    await column("In progress").getByText("do one").waitFor();
    await page
      .locator("#state")
      .getByText(/^driven by process \d+$/)
      .waitFor();
    await column("Completed").getByText("do one").waitFor();
    await page.locator("#output").getByText("set one completed").waitFor();

    await page.locator("#stop summary").click();
    await page.getByRole("button", { name: "Stop the run" }).click();
    await page.getByText("The run is told to stop.").waitFor();
    await page.locator("#state").getByText("Aborted").waitFor();
    expect((await driven).exitCode).toBe(130);
    await page.goto(`${bench.url}/runs/${id}/log`);
    await page.getByText("run.stop_requested").waitFor();
    await page.getByText("by: mira").waitFor();
  });

  it("what somebody is writing, has opened or scrolled to stays when the run changes", async () => {
    const { id } = await stored(bench.runs, { name: "Edited", note: "before" });
    const page = await bench.visit(MIRA);
    await page.goto(`${bench.url}/runs/${id}`);
    await page.getByText("Live", { exact: true }).waitFor();
    await page.getByText("Change the note").click();
    await page.getByLabel("People see it; no agent does.").fill("half a sen");
    await noteRun({ store: bench.runs, now: () => new Date() }, id, "from elsewhere");
    await page.locator("#note").getByText("from elsewhere").waitFor();
    expect(await page.getByLabel("People see it; no agent does.").inputValue()).toBe("half a sen");
  });
});

describe("without the script", () => {
  it("a run is read, pinned and noted; whoever only reads has no buttons", async () => {
    const { id } = await stored(bench.runs, { name: "Plain" });
    const page = await bench.visit(MIRA, { javaScriptEnabled: false });
    await page.goto(`${bench.url}/runs/${id}`);
    await page.getByRole("button", { name: "Pin it", exact: true }).click();
    await page.getByText("The run is pinned.").waitFor();
    await page.getByText("Write a note").click();
    await page.getByLabel("People see it; no agent does.").fill("for Ken");
    await page.getByRole("button", { name: "Keep the note" }).click();
    await page.locator("#note").getByText("for Ken").waitFor();
    expect(await readRun({ store: bench.runs }, id)).toMatchObject({ isPinned: true, note: "for Ken" });

    const reader = await bench.visit(LENA, { javaScriptEnabled: false });
    await reader.goto(`${bench.url}/runs/${id}`);
    await reader.getByText("Runs are changed by approvers and admins.").waitFor();
    expect(await reader.getByRole("button", { name: /pin|stop|note/i }).count()).toBe(0);
  });
});

it("runs are searched, filtered and paged, with the keyboard too", async () => {
  for (let count = 0; count < 52; count++) await stored(bench.runs, { name: `Tern ${count}` });
  const wanted = await stored(bench.runs, { name: "Pelican", status: "exhausted" });
  const page = await bench.visit(MIRA);
  await page.goto(`${bench.url}/runs?q=tern`);
  expect(await page.locator(".rows > li").count()).toBe(50);
  await page.getByRole("link", { name: "Older" }).click();
  await page.getByRole("link", { name: "Newest" }).waitFor();
  expect(await page.locator(".rows > li").count()).toBe(2);
  await page.goto(`${bench.url}/runs`);
  await page.keyboard.press("/");
  await page.keyboard.type("pelican");
  await page.getByLabel("Status").selectOption("exhausted");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Search" }).click();
  await page.locator(`#run-${wanted.id}`).waitFor();
  expect(await page.locator(".rows > li").count()).toBe(1);
  await page.locator("h1").click();
  await page.keyboard.press("j");
  await page.keyboard.press("o");
  await page.waitForURL(`**/runs/${wanted.id}`);
});
