import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect } from "vitest";
import { removeScratch, watched } from "../../src/runs/backends/backends.fixture.ts";
import { programBackend } from "../../src/runs/backends/program-backend.ts";
import { referenceAgent } from "../../src/runs/backends/reference-agent.ts";
import { it, type Machine, program } from "../program.ts";

afterEach(removeScratch);
const backend = programBackend(referenceAgent([process.execPath, program]));

function attempt(machine: Machine, script: readonly unknown[], session: string | null, prompt: string, file?: string) {
  writeFileSync(join(machine.projectDir, "script.json"), JSON.stringify(script));
  const settings = { cwd: machine.projectDir, backendArgs: ["--script", "script.json"] };
  const env = { ...machine.env };
  return watched(settings, { env, prompt, session, ...(file === undefined ? {} : { outputFile: file }) });
}

it("R-25 the reference agent works in a process of its own, guarded, and goes on in its conversation", async ({
  machine,
}) => {
  const first = attempt(
    machine,
    [{ calls: [{ name: "shell", input: { command: "git push --force origin main" } }] }, "HALF"],
    null,
    "BEGIN-HERE",
  );
  const half = await backend.invoke(first.invocation);
  expect(half, first.output()).toMatchObject({ exitCode: 0, transcript: "HALF" });
  expect(first.sessions).toEqual([half.session]);
  expect(first.progress.join("\n")).toContain("shell was blocked");

  const { outputFile } = first.invocation;
  const second = attempt(machine, ["DONE"], half.session, "GO-ON", join(dirname(outputFile), "02.log"));
  const done = await backend.invoke(second.invocation);
  expect(done).toMatchObject({ exitCode: 0, transcript: "DONE", session: half.session });
  const kept = readdirSync(dirname(outputFile)).find((name) => name.startsWith("conversation-")) ?? "";
  const { messages } = JSON.parse(readFileSync(join(dirname(outputFile), kept), "utf8"));
  const said = messages.flatMap(({ role, text }: { role: string; text: string }) => (role === "user" ? [text] : []));
  expect(said.join("\n")).toMatch(/BEGIN-HERE(.|\n)*GO-ON/);
});

it("R-53 a conversation that is gone is a session that is not known", async ({ machine }) => {
  const { invocation } = attempt(machine, ["NEVER"], "00000000-0000-0000-0000-000000000000", "GO-ON");
  expect(await backend.invoke(invocation)).toMatchObject({ isSessionUnknown: true, session: null });
});
