import { expect, test } from "vitest";
import type { ApprovalQuestion, Modules, RunMachine } from "./engine.ts";
import { beforeAttempt, phases } from "./phases.fixture.ts";

const NO_MODULES: Modules = { describe: async () => [], judge: () => Promise.reject(new Error("no modules")) };

/** A command that answers nothing anybody could understand. */
async function failing(onError: string, approve: RunMachine["approve"]) {
  const made = phases(NO_MODULES, { approve });
  const hooks = await made.freeze(
    `hooks:\n  beforeAttempt: [{ builtin: command, onError: ${onError}, with: { mode: json, command: echo, args: [nonsense] } }]`,
  );
  return made.run(beforeAttempt(), { hooks });
}

test("RB-1 onError: ask puts the failure to a person, whose yes lets the run go on", async () => {
  const questions: ApprovalQuestion[] = [];
  const outcome = await failing("ask", async (question) => {
    questions.push(question);
    return { kind: "approved", by: "ada" };
  });
  expect(outcome.end).toEqual({ kind: "continue" });
  expect(questions).toMatchObject([{ title: expect.stringContaining("beforeAttempt:0:command failed"), task: null }]);
  expect(outcome.audits).toMatchObject([{ outcome: "error", summary: expect.stringMatching(/; ada said to go on$/) }]);
});

test.each([
  ["a no", { kind: "denied", by: "ada", reason: "mend it" } as const, "ada said not to go on: mend it"],
  ["no answer yet", { kind: "pending", id: "A-1", where: "holdfast approvals" } as const, "approval A-1 is open"],
])("RB-1 onError: ask, %s blocks with the failure and the answer", async (_, answer, words) => {
  const { end } = await failing("ask", async () => answer);
  expect(end).toMatchObject({ kind: "block", reason: expect.stringContaining(words) });
  expect(end).toMatchObject({ reason: expect.stringContaining("failed") });
});

test("RB-1 onError: ask with nobody to ask is a failure that stops the phase", async () => {
  const { end } = await failing("ask", () => Promise.reject(new Error("the desk is closed")));
  expect(end).toMatchObject({ kind: "error", message: expect.stringContaining("the desk is closed") });
});

test.each(["block", "continue"])("RB-1 onError: %s asks nobody", async (onError) => {
  const { end } = await failing(onError, () => Promise.reject(new Error("asked")));
  expect(end.kind).toBe(onError === "block" ? "error" : "continue");
  expect(JSON.stringify(end)).not.toContain("asked");
});
