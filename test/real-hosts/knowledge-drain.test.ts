import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { modelHosts } from "../../src/entry/knowledge/model-hosts.ts";
import type { ModelHost } from "../../src/knowledge/drain/model-host.ts";
import type { ScriptedModel } from "../../src/proof/scripted-model.ts";
import { offlineProgram } from "./guarded-host.ts";
import { hostOnPath } from "./on-the-path.ts";
import { makeScratch, type Scratch } from "./scratch.ts";

const HOSTS = ["claude-code", "codex", "opencode", "gemini", "copilot"] as const;

/** More than a command line takes. */
const LONG = "x".repeat(300_000);
const OPENING = "OPENING-OF-THE-QUESTION";
const ANSWER = '{"practice":[],"map":[]}';

const asked = (host: ModelHost, directory: string, prompt: string) =>
  host.ask({
    prompt,
    model: undefined,
    outputFile: join(directory, "output.jsonl"),
    timeoutMs: 90_000,
    signal: new AbortController().signal,
  });

/** What cannot be taken from a program, and is without effect: see what becomes of it when it is called. */
const LEFT_OVER: Partial<Record<(typeof HOSTS)[number], readonly string[]>> = {
  codex: ["request_user_input", "apply_patch"],
};

function toolsOffered({ requests }: ScriptedModel): string[] {
  return requests.flatMap(({ body }) => {
    const { tools = [] } = (body ?? {}) as { tools?: readonly object[] };
    return [...JSON.stringify(tools).matchAll(/"name":"([^"]+)","description"/g)].map(([, name = ""]) => name);
  });
}

describe.runIf(process.env.HOLDFAST_REAL_HOSTS === "1").each(HOSTS)("%s, asked without tools", (host) => {
  let scratch: Scratch;
  let model: ScriptedModel | undefined;

  beforeEach(async () => {
    scratch = await makeScratch();
  });
  afterEach(async () => {
    await model?.close();
    await scratch.remove();
  });

  test("N-30 A13-10 answers a question of 300,000 characters, offers the model no tool that does anything", async () => {
    const set = await hostOnPath(host, scratch, {
      script: [{ text: ANSWER }],
      asides: [{ opening: OPENING, text: ANSWER }],
    });
    model = set.model;
    const found = modelHosts(set.env)(host);
    if (!found) throw new Error(`${host} cannot be asked`);
    const answer = await asked(found, scratch.stateDir, `${OPENING}\n$& $' "quotes"\n${LONG}\nEND-OF-THE-QUESTION`);
    expect(answer.trim()).toBe(ANSWER);
    expect(toolsOffered(model)).toEqual(LEFT_OVER[host] ?? []);
    const told = model.requests.flatMap(({ turn }) => turn?.texts ?? []).join("\n");
    expect(told).toContain(`$& $' "quotes"`);
    expect(told).toContain("END-OF-THE-QUESTION");
    expect(existsSync(join(scratch.projectDir, ".holdfast"))).toBe(false);
    expect(readFileSync(join(scratch.stateDir, "output.jsonl"), "utf8")).not.toBe("");
  });

  test("A13-11 a model that calls a tool all the same, because a transcript told it to, changes nothing", async () => {
    const { says } = offlineProgram(host);
    const bait = join(scratch.projectDir, "stolen.txt");
    const tools = [says.shell(`echo taken > '${bait}'`), says.write(bait, "taken")];
    const set = await hostOnPath(host, scratch, {
      script: [...tools.map((call, index) => ({ tools: [{ id: `c${index}`, ...call }] })), { text: ANSWER }],
      asides: [{ opening: OPENING, text: ANSWER }],
    });
    model = set.model;
    const found = modelHosts(set.env)(host);
    if (!found) throw new Error(`${host} cannot be asked`);
    await asked(found, scratch.stateDir, OPENING).catch(() => "it failed, which is as good");
    expect(readdirSync(scratch.projectDir)).toEqual([]);
  });
});
