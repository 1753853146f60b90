/** The runs of a machine in a scratch directory, as a server of it shows them. */
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { scratch, storeIn } from "../../../runs/files/store.fixture.ts";
import type { RunStore } from "../../../runs/store.ts";
import { localRuns } from "./local-runs.ts";
import type { RunSource } from "./run-source.ts";

export async function testRuns(organisation: string): Promise<{ source: RunSource; store: RunStore; root: string }> {
  const { dir, remove } = scratch();
  onTestFinished(remove);
  const root = join(dir, "runs");
  return { source: localRuns({ root, organisation, everyMs: 10 }), store: storeIn(root), root };
}
