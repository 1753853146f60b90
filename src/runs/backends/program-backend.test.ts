import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { EFFORTS } from "../run.ts";
import { removeScratch, watched } from "./backends.fixture.ts";
import { type ProgramCall, programBackend } from "./program-backend.ts";
import { PROGRAM_ROWS } from "./registry.ts";

afterEach(removeScratch);

/** A program that prints what the real one was recorded to print. */
const playing = (id: string, version: string, name: string, exitCode = 0) => {
  const file = join(import.meta.dirname, "fixtures", `${id}-${version}`, name);
  const script = `cat "$1.jsonl"; if [ -e "$1.stderr.txt" ]; then cat "$1.stderr.txt" >&2; fi; exit ${exitCode}`;
  return { command: ["sh", "-c", script, "sh", file] };
};

describe.each(PROGRAM_ROWS)("$title as a backend", (row) => {
  const { id, provenVersion } = row;
  const backend = programBackend(row);

  it("R-25 finds the session and the last words in the recorded stream", async () => {
    const { invocation, sessions, progress } = watched({ backendConfig: playing(id, provenVersion, "first") });
    const result = await backend.invoke(invocation);

    expect(result.transcript).toBe("FIRST END");
    expect(result).toMatchObject({ exitCode: 0, isTimedOut: false, isAborted: false, isSessionUnknown: false });
    expect(result.session).toMatch(/^[\w-]{20,}$/);
    expect(sessions).toContain(result.session);
    expect(progress[0]).toBe("LOOKING");
    expect(progress.filter((line) => line.startsWith("> ")).join()).toContain("printf ran > out.txt");
  });

  it("R-25 goes on in a session it is given, and tells of no new one", async () => {
    const first = await backend.invoke(watched({ backendConfig: playing(id, provenVersion, "first") }).invocation);
    const recorded = row.isSessionOurs ? "d4acd9d8-3d54-4cc4-9403-ffca0694d82a" : first.session;
    const again = watched({ backendConfig: playing(id, provenVersion, "resumed") }, { session: recorded });
    const result = await backend.invoke(again.invocation);

    expect(result).toMatchObject({ session: recorded, transcript: "SECOND END" });
    expect(again.sessions).toEqual([]);
  });

  it("R-53 knows how the program says that it does not know the session", async () => {
    const config = playing(id, provenVersion, "unknown", 1);
    const unknown = await backend.invoke(watched({ backendConfig: config }, { session: "gone" }).invocation);
    expect(unknown).toMatchObject({ isSessionUnknown: true, session: null });
    const fresh = await backend.invoke(watched({ backendConfig: config }).invocation);
    expect(fresh.isSessionUnknown).toBe(false);
  });

  it("passes model and permission on, and says which efforts it cannot express", async () => {
    const { invocation } = watched({});
    const call = (more: readonly string[]): ProgramCall => ({ session: null, model: "some/model", more, invocation });
    expect(row.args(call(row.permissions.unrestricted))).toEqual(
      expect.arrayContaining(["some/model", ...row.permissions.unrestricted]),
    );
    for (const effort of EFFORTS) {
      const heard = watched({ effort, backendConfig: playing(id, provenVersion, "resumed") });
      await backend.invoke(heard.invocation);
      const said = heard.progress.filter((line) => line.includes("effort"));
      expect(said.length, effort).toBe(row.efforts[effort] ? 0 : 1);
    }
  });

  it("a program that is not there is an error with the next step", async () => {
    const { invocation } = watched({ backendConfig: { command: "/no/such/program" } });
    await expect(backend.invoke(invocation)).rejects.toMatchObject({
      code: "HF1042",
      fix: expect.stringMatching(/install/),
    });
  });

  it("is looked for where the agent says, or on the PATH", async () => {
    const nowhere = { PATH: "/nowhere" };
    expect(await backend.probe(nowhere)).toMatchObject({ ok: false, problem: expect.stringMatching(/not installed/) });
    const config = { command: [process.execPath] };
    expect(await backend.probe(nowhere, config)).toEqual({ ok: true, version: process.version });
  });

  it("an unknown setting is an error with the nearest name", async () => {
    const { invocation } = watched({ backendConfig: { comand: "x" } });
    await expect(backend.invoke(invocation)).rejects.toMatchObject({ code: "HF1043", fix: "did you mean command?" });
  });
});
