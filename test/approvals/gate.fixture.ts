/** A machine with rules for approvals, the real hook programs on it, and a person at the real store. */
import { userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { ADMIN, type Approval, PERSONAL, type Person } from "../../src/approvals/approval.ts";
import { Approvals } from "../../src/approvals/service.ts";
import type { Stores } from "../../src/approvals/store.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { AgentScope } from "../../src/entry/server/principal.ts";
import { createToken } from "../../src/entry/server/tokens.ts";
import { openStores } from "../../src/stores/open.ts";
import { freePort } from "../free-port.ts";
import { claudeShell } from "../payloads.ts";
import { endProcessesOf } from "../processes.ts";
import { createMachine, distDir, type Ended, type Machine, type Start, type Started } from "../program.ts";
import { type ScriptHook, userHooks } from "../rules.ts";

export const client = `${distDir}/native/holdfast`;
const HOOK = ["hook", "--host", "claude-code"];
const person: Person = { id: userInfo().username, organisation: PERSONAL, name: "a person", roles: [ADMIN] };

export interface Gate {
  readonly machine: Machine;
  readonly stores: Stores;
  readonly approvals: Approvals;
  /** `wait`: how long calls wait; default as long as the host allows. */
  rules(rule?: object, hooks?: readonly ScriptHook[]): Promise<void>;
  /** The hook in a process of its own, or through the native client; stdin is closed. */
  call(command: string, options?: { readonly through?: "process" | "client"; readonly changes?: object }): Started;
  /** Waits until so many were asked; the newest first. */
  asked(count?: number): Promise<readonly Approval[]>;
  vote(id: string, kind: "approve" | "deny", reason?: string): Promise<void>;
  all(): Promise<readonly Approval[]>;
}

export const it = test.extend<{ gate: Gate }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of the fixtures from here
  gate: async ({}, use) => {
    const { machine, remove } = createMachine();
    const stores = await openStores({ url: storeFile(machine) });
    await use(gateOn(machine, stores));
    await endProcessesOf(machine);
    await stores.close();
    remove();
  },
});

const storeFile = ({ stateDir }: Machine) => join(stateDir, "approvals", "approvals.db");

function gateOn(machine: Machine, stores: Stores): Gate {
  const approvals = new Approvals(stores);
  const all = async () => (await stores.list({ organisation: PERSONAL, limit: 1_000 })).approvals;
  return {
    machine,
    stores,
    approvals,
    all,
    async rules(rule = {}, hooks = []) {
      await userHooks(machine, hooks, { approvals: [{ name: "ships", when: { command: "make ship*" }, ...rule }] });
    },
    call(command, { through = "process", changes = {} } = {}) {
      const started = machine.start(HOOK, through === "client" ? { command: client } : {});
      started.child.stdin.end(JSON.stringify(claudeShell(machine, command, changes)));
      return started;
    },
    async asked(count = 1) {
      await until(async () => (await all()).length >= count, `${count} approvals were asked`);
      return all();
    },
    async vote(id, kind, reason = "") {
      expect(await approvals.vote(id, { person, kind, reason, via: "web" })).toMatchObject({ kind: "done" });
    },
  };
}

/** The hook has nothing against it. */
export function expectLetThrough({ code, stdout, stderr }: Ended): void {
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "", stderr: "" });
}

export function denialOf({ code, stdout }: Ended): string {
  expect(code).toBe(0);
  const { permissionDecision, permissionDecisionReason } = JSON.parse(stdout).hookSpecificOutput;
  expect(permissionDecision).toBe("deny");
  return permissionDecisionReason;
}

/** Only for the message: how long a busy machine takes over a thing says nothing about it. */
const PATIENCE_MS = 120_000;

export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const startedAt = performance.now(); performance.now() - startedAt < PATIENCE_MS; await sleep(20))
    if (await holds()) return;
  throw new Error(`it never came to this: ${what}`);
}

/** The server in a process of its own; `on`: on another machine, for this one's store. */
export async function serve(
  { machine }: Gate,
  port?: number,
  on: Start = {},
): Promise<{ url: string; kill(): Promise<unknown> }> {
  const store = ["--store", storeFile(machine)];
  const at = String(port ?? (await freePort()));
  const { child, printed, ended } = machine.start(["serve", "--port", at, "--json", ...store], on);
  const line = new Promise<string>((resolve) => child.stdout.once("data", (chunk: Buffer) => resolve(String(chunk))));
  await printed('"url"');
  const { url } = JSON.parse(await line);
  return {
    url,
    kill() {
      child.kill("SIGKILL");
      return ended;
    },
  };
}

/** The managed config that a section gives, with the token of a machine that may do what the scopes say. */
export async function managed(
  { machine, stores }: Gate,
  { scopes, section }: { scopes: readonly AgentScope[]; section: JsonObject },
): Promise<{ HOLDFAST_MANAGED_DIR: string; MACHINE_TOKEN: string }> {
  await stores.putPerson({ id: "test", organisation: PERSONAL, name: "Test", roles: [ADMIN] });
  const { token } = await createToken(stores, {
    organisation: PERSONAL,
    name: "test",
    kind: "agent",
    agent: null,
    person: null,
    scopes,
    createdBy: "test",
    lastsMs: 3_600_000,
  });
  machine.write("managed/holdfast.json", JSON.stringify(section));
  return { HOLDFAST_MANAGED_DIR: join(machine.dir, "managed"), MACHINE_TOKEN: token };
}
