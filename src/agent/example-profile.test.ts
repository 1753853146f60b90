/** The profile in examples/agent-profile, as it is, around a real loop. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { agentScene, call, calls, shell } from "./agent.fixture.ts";

const scene = agentScene();
const profile = join(import.meta.dirname, "../../examples/agent-profile");
beforeEach(() => {
  scene.env.HOLDFAST_CONFIG_DIR = profile;
});

describe("the example profile", () => {
  it("Q-108 the shell guard blocks rm -rf and git reset --hard, and passes others", async () => {
    writeFileSync(join(scene.project, "kept"), "");
    const commands = ["rm -rf kept", "git reset --hard", "touch made"];
    const { agent } = await scene.agent([calls(...commands.map((command) => shell(command))), "tests"], {
      ask: () => ({ allow: true }),
    });
    await (await agent.open()).send("go");
    expect(new Set(scene.of("tool_blocked").map(({ input }) => input.command))).toEqual(new Set(commands.slice(0, 2)));
    for (const { reason } of scene.of("tool_blocked")) expect(reason).toMatch(/destroys work \(strict policy\)|git\//);
    expect(existsSync(join(scene.project, "kept"))).toBe(true);
    expect(existsSync(join(scene.project, "made"))).toBe(true);
  });

  it("Q-109 approve-safe-shell lets cargo test and cargo check run unasked, nothing else", async () => {
    const bin = join(scene.dir, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "cargo"), '#!/bin/sh\necho "cargo $1"\n', { mode: 0o755 });
    scene.env.PATH = `${bin}:${scene.env.PATH}`;
    const all = ["cargo test", "cargo check", "cargo publish"].map((command) => shell(command));
    const { agent } = await scene.agent([calls(...all), "tests"]);
    await (await agent.open()).send("go");
    expect(
      scene
        .of("tool_finished")
        .map(({ output }) => output)
        .sort(),
    ).toEqual(["cargo check", "cargo test"]);
    expect(scene.of("tool_blocked").map(({ input }) => input.command)).toEqual(["cargo publish"]);
  });

  it("Q-110 the stop verifier ends the turn where validation is mentioned, else asks once", async () => {
    const said = await scene.agent(["Done; validation: all green.", "never"]);
    expect(await (await said.agent.open()).send("go")).toMatchObject({ text: "Done; validation: all green." });
    const silent = await scene.agent(["Done.", "Done, I said.", "never"]);
    expect(await (await silent.agent.open()).send("go")).toMatchObject({ text: "Done, I said." });
    expect(silent.model.requests[1]?.messages.at(-1)?.text).toContain("without a word on validation");
  });

  it("Q-111 the whole profile loads and runs from any working directory", async () => {
    const cwd = join(scene.project, "deep", "inside");
    mkdirSync(cwd, { recursive: true });
    const delegate = call("delegate", { target_agent_id: "coder", objective: "write" });
    const long = shell("printf '%04000d' 0");
    const { agent, model } = await scene.agent(
      [calls(delegate), "written, tests ran", calls(shell("rm -rf /x")), calls(long)],
      {
        cwd,
        agents: { coder: {} },
        contextTokens: 900,
        ask: () => ({ allow: true }),
      },
    );
    const conversation = await agent.open();
    expect(await conversation.send("go")).toMatchObject({
      status: "stopped",
      text: expect.stringMatching(/^A person looks at the transcript[\s\S]*\n\nSay which part/),
    });
    expect(model.requests[1]?.messages[0]?.text).toContain("Constraints:\nChange only what the objective names.");
    expect(scene.of("tool_blocked")).toHaveLength(1);
    expect(scene.of("notice")).toEqual([]);
  });
});
