/** A call that people must approve ends its process, and goes on in another: as the SDK itself suspends and resumes. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PERSONAL } from "../../src/approvals/approval.ts";
import { Approvals } from "../../src/approvals/service.ts";
import type { Stores } from "../../src/approvals/store.ts";
import { openStores } from "../../src/stores/open.ts";
import { installedSdk, type SdkName } from "./installed-sdk.ts";
import { type Workbench, workbench } from "./workbench.ts";

let bench: Workbench;
let stores: Stores;
beforeEach(async () => {
  bench = workbench();
  stores = await openStores({ url: join(bench.env.HOLDFAST_STATE_DIR ?? "", "approvals", "approvals.db") });
});
afterEach(async () => {
  await stores.close();
  await bench.close();
});

interface Told {
  readonly suspended: boolean;
  readonly said: string;
  readonly ran: readonly number[];
}

const dist = join(import.meta.dirname, "../../dist");
const program = join(import.meta.dirname, "suspended-approval.mjs");

async function processOf(sdk: SdkName, phase: "begin" | "resume"): Promise<Told> {
  const loader = join(await installedSdk(sdk), "node_modules/.holdfast/load.mjs");
  const place = { dist, project: bench.project, env: bench.env, loader, file: join(bench.project, "suspended") };
  const { stdout } = await promisify(execFile)(process.execPath, [program, sdk, phase, JSON.stringify(place)]);
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
}

describe.each(["langchain", "openai-agents", "ai-6"] as const)("%s", (sdk) => {
  const ada = { id: "ada", organisation: PERSONAL, name: "Ada", roles: ["approver"] };
  const decide = async (kind: "approve" | "deny") => {
    const { approvals } = await stores.list({ organisation: PERSONAL, limit: 10 });
    expect(approvals).toMatchObject([{ status: "pending", call: { tool: "pay", input: { amount: 5 } } }]);
    const id = approvals[0]?.id ?? "";
    await new Approvals(stores).vote(id, { person: ada, kind, reason: "not that much", via: "web" });
    return id;
  };

  it("X-5 an approval suspends the run, and after the yes a second process runs the call once", async () => {
    bench.configure("approvals:\n  - { when: { tool: pay } }\n");
    const first = await processOf(sdk, "begin");
    expect(first).toMatchObject({ suspended: true, ran: [] });
    const id = await decide("approve");
    expect(first.said).toContain(id);
    expect(await processOf(sdk, "resume")).toEqual({ suspended: false, said: "done", ran: [5] });
    expect(await stores.get(id)).toMatchObject({ status: "used" });
  });

  it("X-3 a run that is resumed without a yes, or after a no, runs nothing", async () => {
    bench.configure("approvals:\n  - { when: { tool: pay } }\n");
    await processOf(sdk, "begin");
    expect((await processOf(sdk, "resume")).ran).toEqual([]);
    await decide("deny");
    if (sdk === "langchain") expect(await processOf(sdk, "resume")).toMatchObject({ suspended: false, ran: [] });
  });
});
