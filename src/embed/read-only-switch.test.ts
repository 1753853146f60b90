import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Desk } from "../approvals/desk.ts";
import { localDesk } from "../approvals/local-desk.ts";
import { memoryStores } from "../stores/memory.ts";
import { createHoldfast, type Holdfast } from "./holdfast.ts";

const distDir = join(import.meta.dirname, "../../dist");
const tools = { write: { kind: "write", paths: ["path"] }, read: { kind: "read", paths: ["path"] } } as const;

let dir: string;
let holdfast: Holdfast | undefined;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "holdfast-switch-"));
  mkdirSync(join(dir, "config"));
  writeFileSync(join(dir, "config", "holdfast.yaml"), "guards:\n  read-only: { by-switch: true }\n");
});
afterEach(async () => {
  await holdfast?.close();
  rmSync(dir, { recursive: true, force: true });
});

/** Why a tool may not run for a user of acme; undefined: it ran. */
async function refusal(desk: Desk, name: "read" | "write", organisation = "acme"): Promise<string | undefined> {
  const env = { HOME: dir, HOLDFAST_CONFIG_DIR: join(dir, "config"), HOLDFAST_STATE_DIR: join(dir, "state") };
  holdfast = await createHoldfast({ cwd: dir, env, tools, distDir, desk });
  const session = holdfast.session({ user: "mona", organisation });
  const outcome = await session.callTool({ name, input: { path: "notes.txt" }, run: () => "done" });
  await holdfast.close();
  return outcome.status === "blocked" ? outcome.reason : undefined;
}

describe("F-42 an organisation that its admins switch to reading only", () => {
  it("has its writes blocked and its reads left alone, from then on until it is switched back", async () => {
    const stores = memoryStores();
    const desk = localDesk(stores);
    expect(await refusal(desk, "write")).toBeUndefined();
    await stores.putSettings("acme", { isReadOnly: true });
    expect(await refusal(desk, "write")).toContain("the organisation is switched to reading only");
    expect(await refusal(desk, "read")).toBeUndefined();
    expect(await refusal(desk, "write", "other")).toBeUndefined();
    await stores.putSettings("acme", { isReadOnly: false });
    expect(await refusal(desk, "write")).toBeUndefined();
  });

  it("is taken for read-only where nobody can say; what reads is not held up by that", async () => {
    const down = { ...localDesk(memoryStores()), settings: () => Promise.reject(new Error("no connection")) };
    expect(await refusal(down, "write")).toContain("no connection");
    expect(await refusal(down, "read")).toBeUndefined();
  });
});
