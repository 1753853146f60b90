import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { it, type Machine } from "../program.ts";
import { noTerminal, onTerminal } from "./terminal.ts";

const scripted = (machine: Machine, ...steps: unknown[]) => machine.write("script.json", JSON.stringify(steps));
const shell = (command: string) => ({ calls: [{ name: "shell", input: { command } }] });
const made = ({ projectDir }: Machine) => existsSync(join(projectDir, "made"));

describe("holdfast agent", () => {
  it("shows what the agent says and does, and what was blocked; with nobody to ask, nothing is changed", async ({
    machine,
  }) => {
    const script = scripted(machine, shell("git push --force origin main"), shell("touch made"), "That is all.");
    const { code, stdout, stderr } = await machine.run(["agent", "push it", "--script", script]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^blocked {2}shell {2}git push --force origin main\n[\s\S]*git\/force-push-protected/m);
    expect(stdout).toContain("Nobody is there to be asked");
    expect(stdout).toMatch(/^That is all\.$/m);
    expect(made(machine)).toBe(false);
    expect(machine.records("audit").map(({ event }) => event)).toContain("session_end");
  });

  it("--json prints every event as one line of JSON; --mode says what runs unasked", async ({ machine }) => {
    const write = { calls: [{ name: "write", input: { path: "made", text: "x" } }] };
    const script = scripted(machine, write, shell("true"), "done");
    const { code, stdout } = await machine.run(["agent", "go", "--script", script, "--mode", "review", "--json"]);
    const events = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(code).toBe(0);
    expect(events.map(({ type }) => type)).toEqual([
      "session_created",
      "turn_started",
      "prompt",
      "tool_started",
      "tool_finished",
      "tool_blocked",
      "assistant",
      "turn_ended",
      "session_ended",
    ]);
    expect(events[1]).toMatchObject({ mode: "accept_edits" });
    expect(made(machine)).toBe(true);
  });

  it("the project's hooks hold in it, those of an agent profile included", async ({ machine }) => {
    machine.write(
      "project/holdfast.toml",
      [
        "[agent.hooks]",
        "enabled = true",
        "[[agent.hooks.user_prompt_submit]]",
        "[[agent.hooks.user_prompt_submit.hooks]]",
        'type = "command"',
        `command = '''echo '{"decision":"block","reason":"not on a Friday"}' '''`,
      ].join("\n"),
    );
    await machine.trust();
    const { code, stderr } = await machine.run(["agent", "deploy", "--script", scripted(machine, "never")]);
    expect(code).toBe(2);
    expect(stderr).toContain("refused: not on a Friday");
  });

  it("without a model it says how to get one", async ({ machine }) => {
    const missing = await machine.cli(["agent", "go"]);
    expect(missing.code).toBe(3);
    expect(missing.stderr).toMatch(/no model is set\n.*npm install ai@6 @ai-sdk\/anthropic/);
    const absent = await machine.cli(["agent", "go", "--model", "anthropic:some-model"]);
    expect(absent.stderr).toContain("the package ai is not installed in");
    const badName = await machine.cli(["agent", "go", "--model", "some-model"]);
    expect(badName.stderr).toContain('a model is named provider:model, not "some-model"');
    const badMode = await machine.cli(["agent", "go", "--mode", "yolo"]);
    expect(badMode.stderr).toContain('there is no mode "yolo"');
    const badScript = await machine.cli(["agent", "go", "--script", machine.write("script.json", "{}")]);
    expect(badScript.stderr).toContain("is no script");
  });

  it("a model is made with the packages of the project", async ({ machine }) => {
    const esm = (name: string, code: string) => {
      const exports = { ".": { import: { default: "./main.js" } } };
      machine.write(`project/node_modules/${name}/package.json`, JSON.stringify({ name, type: "module", exports }));
      machine.write(`project/node_modules/${name}/main.js`, code);
    };
    esm(
      "ai",
      "export const jsonSchema = (s) => s; export const generateText = async ({ model }) => ({ text: `I am ${model.modelId}`, toolCalls: [] });",
    );
    esm("@ai-sdk/some-cloud", "export const someCloud = (modelId) => ({ modelId });");
    const { code, stdout } = await machine.run(["agent", "who?", "--model", "some-cloud:large:v2"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "I am large:v2\n" });
    const byEnv = await machine.run(["agent", "who?"], { env: { HOLDFAST_AGENT_MODEL: "@ai-sdk/some-cloud:small" } });
    expect(byEnv.stdout).toBe("I am small\n");
  });

  it("Ctrl-C cancels the turn, and what it had started is gone", async ({ machine }) => {
    const script = scripted(machine, shell("echo running; echo $$ > pid; sleep 60"), "never");
    const { child, ended, printed } = machine.start(["agent", "go", "--script", script, "--mode", "bypass"]);
    await printed("> shell");
    const file = join(machine.projectDir, "pid");
    while (!existsSync(file) || machine.read("project/pid").trim() === "") await soon();
    child.kill("SIGINT");
    const { code, stderr } = await ended;
    expect(code).toBe(130);
    expect(stderr).toContain("cancelled");
    const group = Number(machine.read("project/pid"));
    while (isAlive(-group)) await soon();
  });

  it.skipIf(noTerminal)("a person at a terminal is asked, and what they say is done", async ({ machine }) => {
    const script = scripted(machine, shell("touch made"), "done");
    const terminal = onTerminal(machine, ["agent", "go", "--script", script]);
    await terminal.shows("yes, this once");
    expect(made(machine)).toBe(false);
    terminal.type("\r");
    const { code, screen } = await terminal.ended;
    expect(screen).toContain("shell needs a person's permission");
    expect({ code, made: made(machine) }).toEqual({ code: 0, made: true });
  });
});

const soon = () => new Promise((resolve) => setTimeout(resolve, 20));

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
