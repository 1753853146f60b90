import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { removeScratch, scratch, watched } from "./backends.fixture.ts";
import { createBackends } from "./registry.ts";

afterEach(removeScratch);

function withBackend(name: string, file: string, text: string) {
  const configDir = scratch();
  mkdirSync(join(configDir, "backends", name), { recursive: true });
  writeFileSync(join(configDir, "backends", name, file), text);
  return createBackends({ holdfast: ["holdfast"], configDir });
}

describe("backends by name", () => {
  it("an unknown one is an error with the nearest name and the place for one's own", async () => {
    const backends = createBackends({ holdfast: ["holdfast"], configDir: scratch() });
    await expect(backends.named("claud-code")).rejects.toMatchObject({
      code: "HF1041",
      fix: expect.stringMatching(/did you mean claude-code\?.*backends\/<name>\/backend\.ts/),
    });
    await expect(backends.named("../../etc")).rejects.toMatchObject({ code: "HF1041" });
  });

  it("a name of agent-runner's means the same backend", async () => {
    const backends = createBackends({ holdfast: ["holdfast"], configDir: scratch() });
    expect((await backends.named("claude")).id).toBe("claude-code");
  });

  it("R-5 one written in TypeScript is loaded without a build, in either spelling of the result", async () => {
    const backends = withBackend(
      "mine",
      "backend.ts",
      `interface In { prompt: string; session: string | null }
       export default { name: "mine", invoke: async ({ prompt, session }: In) =>
         ({ exitCode: 0, timedOut: false, sessionId: "s1", transcript: prompt + session, rawStdout: "raw" }) };`,
    );
    expect(backends.ids()).toContain("mine");
    const backend = await backends.named("mine");
    expect(await backend.invoke(watched({}, { session: "s0" }).invocation)).toEqual({
      ...{ exitCode: 0, signal: null, isTimedOut: false, isAborted: false, session: "s1", isSessionUnknown: false },
      ...{ transcript: "Do it.s0", stdout: "raw", stderr: "" },
    });
  });

  it.each([
    ["no invoke", "export default { name: 'x' };", "no object with a function invoke"],
    ["a syntax error", "export default {{", "cannot be loaded"],
  ])("RB-2 %s is an error that names the file", async (_, text, problem) => {
    await expect(withBackend("bad", "backend.mjs", text).named("bad")).rejects.toThrow(problem);
  });

  it.each([
    ["undefined", "no result object"],
    ["{}", "no exitCode"],
    ["{ exitCode: '0' }", "exitCode that is no number"],
    ["{ exitCode: 0, transcript: 7 }", "transcript that is no string"],
  ])("RB-2 a result of %s is an error, never a record", async (result, problem) => {
    const backend = await withBackend("bad", "backend.mjs", `export default { invoke: () => (${result}) };`).named(
      "bad",
    );
    await expect(backend.invoke(watched({}).invocation)).rejects.toThrow(problem);
  });

  it("RB-1 one that never settles is told to stop and left behind", async () => {
    const text =
      "export default { invoke: ({ signal }) => new Promise((r) => signal.addEventListener('abort', () => r({ exitCode: null }))) };";
    const backend = await withBackend("slow", "backend.mjs", text).named("slow");
    const result = await backend.invoke(watched({}, { timeoutMs: 50 }).invocation);
    expect(result).toMatchObject({ isTimedOut: true, isAborted: false });
  });

  it("RB-1 one that has more time than a timer can count has all of it", async () => {
    const text =
      "export default { invoke: ({ signal }) => new Promise((r) => setTimeout(() => r({ exitCode: signal.aborted ? 1 : 0 }), 50)) };";
    const backend = await withBackend("patient", "backend.mjs", text).named("patient");
    const result = await backend.invoke(watched({}, { timeoutMs: 90 * 24 * 60 * 60_000 }).invocation);
    expect(result).toMatchObject({ exitCode: 0, isTimedOut: false });
  });
});
