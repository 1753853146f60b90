import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createHoldfast, type HoldfastOptions } from "./holdfast.ts";

let dir = "";
beforeAll(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-options-")));
});
afterAll(() => rmSync(dir, { recursive: true }));

/** As a program without types would. */
const created = (options: object) =>
  createHoldfast({
    cwd: dir,
    env: { HOME: dir, HOLDFAST_STATE_DIR: join(dir, "state"), HOLDFAST_CONFIG_DIR: join(dir, "config") },
    ...options,
  } as HoldfastOptions);

it.each([
  ["an option that is misspelt", { tool: {} }, "HF202", "tool is no option; did you mean tools?"],
  ["a kind that does not exist", { tools: { sh: { kind: "shel" } } }, "HF200", "tools.sh.kind must be one of shell,"],
  ["a tool without a kind", { tools: { sh: {} } }, "HF200", "tools.sh says no kind"],
  ["a field that is misspelt", { tools: { sh: { kind: "shell", comand: "cmd" } } }, "HF202", "did you mean command?"],
  ["paths that are no list", { tools: { w: { kind: "write", paths: "path" } } }, "HF200", "must be a list of texts"],
  ["an ask that is no function", { ask: "yes" }, "HF200", "ask must be a function"],
])("%s is a reason not to start: it would be a rule that nobody holds", async (_, options, code, message) => {
  await expect(created(options)).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
});

it("what is left open counts as not given", async () => {
  const holdfast = await created({ ask: undefined, tools: { sh: { kind: "shell", command: undefined } } });
  await holdfast.close();
});

it("an event that does not exist is named, with the one that was meant", async () => {
  const holdfast = await created({});
  const fire = holdfast.session().fire as (name: string, payload: object) => Promise<unknown>;
  const session = holdfast.session();
  await expect(fire.call(session, "pre_tol_use", {})).rejects.toMatchObject({
    code: "HF201",
    message: "there is no event pre_tol_use; did you mean pre_tool_use?",
  });
  await holdfast.close();
});
