/** What a run is made from changes together with the run. */
import { afterEach, expect, it } from "vitest";
import { createRun } from "./create.ts";
import { reconfigureRun } from "./lifecycle.ts";
import type { RunPorts } from "./ports.ts";
import { type Scene, scene, VARIABLE } from "./runs.fixture.ts";
import { readRun } from "./update.ts";

const scenes: Scene[] = [];
afterEach(() => {
  for (const one of scenes.splice(0)) one.remove();
});

async function initialized(onWrite: (point: string) => void = () => {}) {
  const at = scene([], { onWrite });
  scenes.push(at);
  const assignment = { vars: { branch: VARIABLE, team: VARIABLE }, body: "On {{branch}} for {{team}}." };
  const wanted = at.wanted(assignment, {}, { isStarted: false });
  const { id } = await createRun(at.ports, wanted);
  return { at, id };
}

it("R-51 whatever write of a reconfiguration fails, the next one goes on from what the run is, not from what it was", async () => {
  const kinds = new Set<string>();
  for (let failing = 1; ; failing++) {
    let writes = Number.NEGATIVE_INFINITY;
    let point = "";
    const { at, id } = await initialized((where) => {
      if (where.startsWith("before") && ++writes === failing) {
        point = where;
        throw new Error(`died ${where}`);
      }
    });
    writes = 0;
    await reconfigureRun(at.ports, id, { cliVars: { branch: "next" } }).catch(() => {});
    const isOver = point === "";
    writes = Number.NEGATIVE_INFINITY;
    const branch = (await readRun(at.ports, id)).brief.includes("On next") ? "next" : "main";
    kinds.add(branch);
    const after = await reconfigureRun(at.ports, id, { cliVars: { team: "us" } });
    expect(after.brief, point).toContain(`On ${branch} for us.`);
    if (isOver) break;
  }
  expect([...kinds].sort()).toEqual(["main", "next"]);
});

it("R-51 a reconfiguration keeps what another one said while it waited for the run", async () => {
  const { at, id } = await initialized();
  const { lease } = at.ports.store;
  let isFirst = true;
  const late: RunPorts = {
    ...at.ports,
    store: {
      ...at.ports.store,
      async lease(run) {
        if (isFirst) await reconfigureRun(at.ports, id, { cliVars: { branch: "theirs" } });
        isFirst = false;
        return lease(run);
      },
    },
  };
  const run = await reconfigureRun(late, id, { cliVars: { team: "ours" } });
  expect(run.brief).toContain("On theirs for ours.");
});
