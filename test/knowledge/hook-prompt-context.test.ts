/** Prompt context as hosts call it: the hook command, in a process of its own, and through the daemon. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { exclusively, newNode } from "../../src/knowledge/base/base.fixture.ts";
import { addNode } from "../../src/knowledge/base/change-nodes.ts";
import { knowledgePlaces } from "../../src/knowledge/places.ts";
import { claude } from "../payloads.ts";
import { it, type Machine } from "../program.ts";

const PROMPT = "when are the savepoints of the scheduler taken?";

async function base(machine: Machine, config = "knowledge: { enabled: true }\n"): Promise<void> {
  machine.write("project/holdfast.yaml", config);
  const places = knowledgePlaces(machine.projectDir);
  mkdirSync(places.nodesDir, { recursive: true });
  for (const title of ["Savepoints of the scheduler", "Small commits"])
    await addNode({ places, exclusively }, newNode(title), {});
}

let sessions = 0;
/** A session of its own each time: what a session was told it is not told again. */
const prompted = (machine: Machine, prompt: string, fields: object = {}) =>
  machine.hook("claude-code", claude(machine, "UserPromptSubmit", { prompt, session_id: `s${sessions++}`, ...fields }));

describe("prompt context, through the hook command", () => {
  it("N-39 the model is told of the node, labelled as coming from hooks, and not of its body", async ({ machine }) => {
    await base(machine);
    const { code, stdout } = await prompted(machine, PROMPT);
    expect(code).toBe(0);
    const { additionalContext } = JSON.parse(stdout).hookSpecificOutput;
    expect(additionalContext).toContain("[knowledge-prompt-context]");
    expect(additionalContext).toContain("`practice-savepoints-of-the-scheduler`");
    expect(additionalContext).not.toContain(newNode("Savepoints of the scheduler").body);
  });

  it("N-40 an empty or unrelated prompt, no base, a broken base: exit 0 and nothing on stdout", async ({ machine }) => {
    machine.write("project/holdfast.yaml", "knowledge: { enabled: true }\n");
    const silent = async (prompt: string) => {
      const { code, stdout } = await prompted(machine, prompt);
      expect([prompt, code, stdout]).toEqual([prompt, 0, ""]);
    };
    await silent(PROMPT);
    await base(machine);
    await silent("write a haiku about the sea");
    await silent("");
    const { nodesDir } = knowledgePlaces(machine.projectDir);
    for (const name of readdirSync(nodesDir))
      if (name.startsWith("practice-")) writeFileSync(join(nodesDir, name), "broken");
    await silent(PROMPT);
  });

  it("N-41 the prompt is in no file afterwards, not in the records either", async ({ machine }) => {
    await base(machine);
    expect((await prompted(machine, PROMPT)).stdout).not.toBe("");
    const files = readdirSync(machine.dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const text = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8")).join("\n");
    expect(text).toContain("which is not kept");
    expect(text).not.toContain(PROMPT);
  });

  it("a base that is switched off tells nothing", async ({ machine }) => {
    await base(machine, "version: 1\n");
    expect((await prompted(machine, PROMPT)).stdout).toBe("");
  });

  it("a session that stands in a subdirectory is told the path from there", async ({ machine }) => {
    await base(machine);
    const cwd = machine.write("project/packages/api/readme.md", "").replace("/readme.md", "");
    const { stdout } = await prompted(machine, PROMPT, { cwd });
    expect(JSON.parse(stdout).hookSpecificOutput.additionalContext).toContain("(../../.holdfast/knowledge/nodes/");
  });

  it("N-41 the same prompt gives the same bytes, and is in no file of the project afterwards", async ({ machine }) => {
    await base(machine);
    const prompt = `${PROMPT} zanzibar`;
    const first = (await prompted(machine, prompt)).stdout;
    expect(first).toContain("practice-savepoints");
    expect((await prompted(machine, prompt)).stdout).toBe(first);
    expect((await prompted(machine, prompt)).stdout).toBe(first);
    const kept = readdirSync(join(machine.projectDir, ".holdfast/knowledge"), { recursive: true, withFileTypes: true });
    for (const { parentPath, name } of kept.filter((entry) => entry.isFile()))
      expect(readFileSync(join(parentPath, name)).includes("zanzibar"), name).toBe(false);
  });

  it("N-42 a host without a verified channel is told nothing, and nobody is bothered about it", async ({ machine }) => {
    await base(machine);
    const payload = {
      conversation_id: "c",
      generation_id: "g",
      hook_event_name: "beforeSubmitPrompt",
      workspace_roots: [machine.projectDir],
      prompt: PROMPT,
      attachments: [],
    };
    const { code, stdout } = await machine.hook("cursor", payload);
    expect(code).toBe(0);
    expect(stdout).not.toContain("practice-savepoints");
    expect(machine.records("notices")).toEqual([]);
  });
});
