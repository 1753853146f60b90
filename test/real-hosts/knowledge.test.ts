import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { runInProject, told } from "./guarded-host.ts";
import { binary, holdfast } from "./holdfast.ts";
import { hostOnPath } from "./on-the-path.ts";
import { makeScratch, type Scratch } from "./scratch.ts";

const FACT =
  "From now on we release with `make ship-it` from the main branch and never by hand, because the script also signs the packages and tells the status page. Please remember that for every release of this project, also for patches and for release candidates.";
const TITLE = "Releases are made with make ship-it";
const PROPOSED = {
  practice: [
    {
      type: "practice",
      title: TITLE,
      description: "make ship-it on main makes a release: it signs packages and tells the status page.",
      body: "Releases, patches and candidates alike, are made with `make ship-it` on main, never by hand.",
      tags: ["release"],
      confidence: "high",
    },
  ],
  map: [],
};

describe.runIf(process.env.HOLDFAST_REAL_HOSTS === "1")("what a session teaches", () => {
  let scratch: Scratch;
  beforeEach(async () => {
    scratch = await makeScratch();
  });
  afterEach(() => scratch.remove());

  /** `holdfast …` with the real Claude Code on the PATH, as a person would. */
  async function withClaude(args: readonly string[], answer: string): Promise<string> {
    const { model, env } = await hostOnPath("claude-code", scratch, {
      script: [],
      asides: [{ opening: "You read the record of one session", text: answer }],
    });
    try {
      const child = spawn(process.execPath, [binary, ...args], { cwd: scratch.projectDir, env });
      let said = "";
      for (const stream of [child.stdout, child.stderr]) {
        stream.on("data", (chunk) => {
          said += chunk;
        });
      }
      const code = await new Promise((settle) => child.once("close", settle));
      expect(code, said).toBe(0);
      return said;
    } finally {
      await model.close();
    }
  }

  test("a fact said in Claude Code is captured, proposed, accepted by a person, and in the model's context of the next sessions of Codex and OpenCode", async () => {
    const knowledge = { enabled: true };
    await scratch.write("config/holdfast.yaml", stringify({ version: 1, knowledge }));
    await holdfast(scratch, "init", "--yes", "--hosts", "claude-code,codex,opencode");
    await holdfast(scratch, "knowledge", "init");

    const before = await runInProject("codex", scratch, { prompt: "How do we release?", script: [{ text: "END" }] });
    expect(told(before, "ship-it"), before.story).toEqual([]);

    const taught = await runInProject("claude-code", scratch, {
      prompt: FACT,
      script: [{ text: "Understood: make ship-it on main, for every release." }],
    });
    const sessions = join(scratch.projectDir, ".holdfast/knowledge/_sessions");
    const logs = () => readdirSync(sessions).filter((name) => name.endsWith(".md"));
    const mine = () => logs().find((name) => readFileSync(join(sessions, name), "utf8").includes("ship-it"));
    expect(mine(), taught.story).toBeDefined();

    const cost = await withClaude(["knowledge", "drain", "--dry-run"], "");
    expect(cost).toMatch(/claude-code: 1 run, about \d+ tokens of input/);
    const drained = await withClaude(["knowledge", "drain", "--yes"], JSON.stringify(PROPOSED));
    expect(drained).toContain("1 of practice, 0 of map");

    const listed = JSON.parse(await holdfast(scratch, "knowledge", "curate", "--list", "--json"));
    const [name] = JSON.stringify(listed).match(/[0-9a-f-]{36}:practice:0/) ?? [];
    expect(name, JSON.stringify(listed)).toBeDefined();
    await holdfast(scratch, "knowledge", "curate", "--accept", String(name));

    for (const host of ["codex", "opencode"] as const) {
      const next = await runInProject(host, scratch, { prompt: "How do we release?", script: [{ text: "END" }] });
      expect(told(next, TITLE), `${host}\n${next.story}`).not.toEqual([]);
    }
  }, 300_000);
});
