import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { sampleEvent } from "../../core/engine.fixture.ts";
import type { Verdict } from "../../core/verdict.ts";
import type { KnowledgeSection } from "../settings.ts";
import { type ScratchBase, scratchBase, searchable } from "./base-on-disk.fixture.ts";
import { promptContext } from "./role.ts";

let base: ScratchBase | undefined;

afterEach(() => {
  base?.remove();
  base = undefined;
});

const SAVEPOINTS = searchable("practice-savepoints", {
  title: "Savepoints of the scheduler",
  description: "Taken hourly.",
});
const PROMPT = "when are the savepoints of the scheduler taken?";

const asked = (
  prompt: string,
  { root }: Pick<ScratchBase, "root">,
  section: KnowledgeSection = {},
  cwd = root,
): Promise<Verdict> =>
  promptContext(
    sampleEvent("user_prompt_submit", { prompt, cwd }),
    { now: new Date(0), options: {}, signal: new AbortController().signal },
    {
      root,
      section,
      homeDir: root,
      stateDir: root,
      env: {},
      distDir: "",
      takeLock: () => Promise.reject(new Error("no lock is needed")),
    },
  );

describe("prompt context", () => {
  test("names the node a prompt is about", async () => {
    base = scratchBase([SAVEPOINTS]);
    const { context, opinion } = await asked(PROMPT, base);
    expect(opinion).toEqual({ kind: "none" });
    expect(context).toHaveLength(1);
    expect(context?.[0]).toContain(
      "(.holdfast/knowledge/nodes/practice-savepoints.md) `practice-savepoints`: Taken hourly.",
    );
  });

  test("gives the path from where the session stands", async () => {
    base = scratchBase([SAVEPOINTS]);
    const { context } = await asked(PROMPT, base, {}, join(base.root, "packages/api"));
    expect(context?.[0]).toContain("(../../.holdfast/knowledge/nodes/practice-savepoints.md)");
  });

  test("N-40 says nothing to an empty or unrelated prompt, or where there is no base", async () => {
    base = scratchBase([SAVEPOINTS]);
    for (const prompt of ["", "  \n", "write a haiku about the sea"])
      expect(await asked(prompt, base)).toEqual({ opinion: { kind: "none" } });
    rmSync(base.places.dir, { recursive: true });
    expect(await asked(PROMPT, base)).toEqual({ opinion: { kind: "none" } });
  });

  test("N-40 a node that cannot be read leaves a notice and hides no other", async () => {
    base = scratchBase([SAVEPOINTS]);
    writeFileSync(join(base.places.nodesDir, "practice-bad.md"), "no front matter");
    const { context, effects } = await asked(PROMPT, base);
    expect(context?.[0]).toContain("practice-savepoints");
    expect(effects).toMatchObject([
      {
        type: "notice",
        notice: { code: "HF1141", message: expect.stringContaining("practice-bad.md has no front matter") },
      },
    ]);
    expect((await asked(PROMPT, base)).effects).toBeUndefined();
  });

  test("N-41 the same prompt and the same tree give the same bytes, and the prompt is in no file afterwards", async () => {
    base = scratchBase([SAVEPOINTS, ...Array.from({ length: 40 }, (_, at) => searchable(`practice-n${at}`))]);
    const secret = "zanzibar";
    const answers = [];
    for (let at = 0; at < 4; at++) answers.push((await asked(`${PROMPT} ${secret}`, base)).context);
    expect(answers[0]).toHaveLength(1);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    const files = readdirSync(base.root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.some(({ name }) => name === "search-index.bin")).toBe(true);
    for (const { parentPath, name } of files)
      expect(readFileSync(join(parentPath, name)).includes(secret), name).toBe(false);
  });

  test("keeps to the limits of the config, and is silent where the config says so", async () => {
    base = scratchBase([SAVEPOINTS, { ...SAVEPOINTS, id: "practice-two" }, { ...SAVEPOINTS, id: "practice-three" }]);
    const lines = async (section: KnowledgeSection) =>
      (await asked(PROMPT, base as ScratchBase, section)).context?.[0]?.split("\n").length;
    expect(await lines({})).toBe(4);
    expect(await lines({ prompt_context: { max_nodes: 1 } })).toBe(2);
    expect(await lines({ prompt_context: { enabled: false } })).toBeUndefined();
  });

  test("a base in which nothing can be read leaves a few notices, not hundreds", async () => {
    base = scratchBase();
    mkdirSync(join(base.places.nodesDir, "x"));
    for (let at = 0; at < 20; at++) writeFileSync(join(base.places.nodesDir, "x", `n${at}.md`), "");
    const { effects } = await asked(PROMPT, base);
    expect(effects).toHaveLength(4);
    expect(effects?.at(-1)).toMatchObject({ notice: { message: expect.stringContaining("17 more nodes") } });
  });
});
