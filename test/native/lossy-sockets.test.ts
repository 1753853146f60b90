import { afterAll, describe, expect } from "vitest";
import { claudeShell } from "../payloads.ts";
import { it, type Machine } from "../program.ts";
import { canCompile, cleanUp, compileClient, fakeNode, send, startStandIn } from "./client.fixture.ts";
import { accepted, declined, header, type Step } from "./stand-in.ts";

/** Built as for systems where what lies in a socket is lost as it is shut: nobody can look for a judgement there. */
const client = canCompile ? compileClient("lossy", { node: fakeNode(), flags: ["-U__linux__"] }) : "";
afterAll(cleanUp);

const REQUEST: Step = { do: "request" };

/** What the Node that the client becomes is told. */
async function toldToNode(machine: Machine): Promise<NodeJS.ProcessEnv> {
  const stdin = JSON.stringify(claudeShell(machine, "git push --force origin main"));
  const { stdout } = await machine.run(["hook", "--host", "claude-code"], { command: client, stdin });
  return JSON.parse(stdout).env;
}

describe.skipIf(!canCompile)("where what lies in a socket is lost as it is shut", { concurrent: true }, () => {
  it.for<[string, string, readonly Step[]]>([
    ["at once", "refused", [send(declined), { do: "close" }]],
    ["the request", "refused", [REQUEST, send(declined)]],
    ["the request as too large", "large", [REQUEST, send(header(4, 4))]],
    ["after it had accepted", "refused", [REQUEST, send(accepted(500)), send(declined)]],
  ])("a daemon that declines %s has recorded nothing, and lives on: %s", async ([, word, steps], { machine }) => {
    const standIn = await startStandIn(machine.stateDir, steps);
    const env = await toldToNode(machine);
    expect(env.HOLDFAST_FALLBACK).toBe(word);
    expect(env.HOLDFAST_CALL_STATE).toBe(undefined);
    expect(standIn.child.signalCode).toBe(null);
    await standIn.stop();
  });

  it("a daemon that was given up on may have judged, and is killed", async ({ machine }) => {
    const standIn = await startStandIn(machine.stateDir, [REQUEST, send(accepted(50))]);
    expect(await toldToNode(machine)).toMatchObject({ HOLDFAST_FALLBACK: "late", HOLDFAST_CALL_STATE: "granted" });
    expect(await standIn.ended).toBe("SIGKILL");
  });
});
