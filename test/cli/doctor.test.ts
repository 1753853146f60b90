import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { placesOf } from "../../src/config/places.ts";
import { startPause } from "../../src/engine/pause.ts";
import { claude } from "../payloads.ts";
import { it, type Machine, registeredProgram } from "../program.ts";

interface Finding {
  readonly check: string;
  readonly grade: string;
  readonly text: string;
  readonly fix?: string;
}

interface Report {
  readonly rules: readonly Finding[];
  readonly hosts: readonly {
    readonly host: string;
    readonly concerns: boolean;
    readonly findings: readonly Finding[];
  }[];
}

async function examine(machine: Machine, ...args: string[]): Promise<{ code: number | null; report: Report }> {
  const { code, stdout } = await machine.cli(["doctor", "--json", ...args], { env: withPrograms(machine) });
  return { code, report: JSON.parse(stdout) };
}

/** A directory of the PATH where a test can put programs. */
const withPrograms = ({ dir, env }: Machine) => ({ PATH: `${join(dir, "bin")}:${env.PATH}` });

/** A stand-in for a host of another version: only its --version is asked for. */
function installProgram(machine: Machine, name: string, version: string): void {
  chmodSync(machine.write(`bin/${name}`, `#!/bin/sh\necho "${version}"\n`), 0o755);
}

const hostIn = ({ hosts }: Report, id: string) => hosts.find(({ host }) => host === id);
const findingsIn = (report: Report, id: string, check: string) =>
  hostIn(report, id)?.findings.filter((finding) => finding.check === check) ?? [];

describe.concurrent("doctor", () => {
  it("rules that hold for no agent are not well", async ({ machine }) => {
    machine.write("project/holdfast.yaml", "version: 1\n");
    const { stdout } = await machine.cli(["doctor"]);
    expect(stdout).toContain("no agent is registered here");
    expect(stdout).not.toContain("all is well");
  });

  it("says that the rules are paused, and how to end that", async ({ machine }) => {
    startPause(machine.projectDir, 10, placesOf(machine.env), new Date());
    const { report } = await examine(machine);
    expect(report.rules).toContainEqual(expect.objectContaining({ check: "paused", fix: "holdfast pause --end" }));
  });

  it.for([
    ["a token that is not set", "NOT_SET", "the variable NOT_SET"],
    ["a server that is not there", "TOKEN", "cannot be asked for: http://127.0.0.1:9 does not answer"],
  ])("approvals that cannot be asked for are an error: %s", async ([, name = "", why = ""], { machine }) => {
    const store = `{ server: "http://127.0.0.1:9", token_env: ${name} }`;
    machine.write("config/holdfast.yaml", `version: 1\napprovals_store: ${store}\n`);
    const { code, stdout } = await machine.cli(["doctor"], { env: { TOKEN: "t" } });
    expect(code).toBe(1);
    expect(stdout).toContain(why);
  });

  it.for(["cursor", "claude-code"])("proposes no proof that cannot be made: %s", async (host, { machine }) => {
    await machine.cli(["init", "--hosts", host]);
    const { report } = await examine(machine, "--host", host);
    expect(findingsIn(report, host, "last called")).toMatchObject([{ fix: "start a session" }]);
  });

  it("says nothing of hosts that are neither installed nor used nor registered", async ({ machine }) => {
    const { code, report } = await examine(machine);
    expect(code).toBe(0);
    expect(report.hosts.filter(({ concerns }) => concerns)).toEqual([]);
    expect((await machine.cli(["doctor"])).stdout).toContain("all is well");
  });

  it("a host that is used and not registered is named, with the command", async ({ machine }) => {
    mkdirSync(join(machine.projectDir, ".claude"));
    const { code, report } = await examine(machine);
    expect(code).toBe(0);
    expect(findingsIn(report, "claude-code", "registered")).toMatchObject([
      { grade: "warning", fix: "holdfast init --hosts claude-code" },
    ]);
  });

  it("a registration that was changed, or is another version's, is an error; --fix mends it", async ({ machine }) => {
    await machine.cli(["init", "--hosts", "claude-code"]);
    const settings = machine.read("project/.claude/settings.json");
    machine.write("project/.claude/settings.json", settings.replaceAll(registeredProgram, "/old/holdfast"));
    const { code, report } = await examine(machine);
    expect(code).toBe(1);
    expect(findingsIn(report, "claude-code", "registered")).toMatchObject([
      { grade: "error", fix: "holdfast init --hosts claude-code" },
    ]);
    const fixed = await examine(machine, "--fix");
    expect(fixed.code).toBe(0);
    expect(machine.read("project/.claude/settings.json")).toBe(settings);
  });

  it("a settings file that is no JSON is an error that names the file, and --fix leaves it alone", async ({
    machine,
  }) => {
    await machine.cli(["init", "--hosts", "claude-code"]);
    machine.write("project/.claude/settings.json", '{"hooks": {');
    const { code, report } = await examine(machine, "--fix");
    expect(code).toBe(1);
    const [finding] = findingsIn(report, "claude-code", "registered");
    expect(finding).toMatchObject({ grade: "error" });
    expect(finding?.text).toContain("settings.json");
    expect(machine.read("project/.claude/settings.json")).toBe('{"hooks": {');
  });

  it("a host newer than what was proven is a warning that asks for a proof", async ({ machine }) => {
    await machine.cli(["init", "--hosts", "claude-code"]);
    installProgram(machine, "claude", "99.0.1 (Claude Code)");
    const { report } = await examine(machine);
    expect(findingsIn(report, "claude-code", "installed")).toMatchObject([{ grade: "good" }]);
    expect(findingsIn(report, "claude-code", "proven")).toMatchObject([
      { grade: "warning", fix: "holdfast verify --host claude-code" },
    ]);
  });

  it("tells when a host last called us, once a session", async ({ machine }) => {
    await machine.cli(["init", "--hosts", "claude-code"]);
    expect(findingsIn((await examine(machine)).report, "claude-code", "last called")).toMatchObject([
      { grade: "note" },
    ]);
    await machine.hook("claude-code", claude(machine, "SessionStart", { source: "startup" }));
    const [finding] = findingsIn((await examine(machine)).report, "claude-code", "last called");
    expect(finding).toMatchObject({ grade: "good" });
  });

  it("KB-3 a tool that an adapter does not know is shown, not skipped in silence", async ({ machine }) => {
    await machine.cli(["init", "--hosts", "claude-code"]);
    await machine.hook("claude-code", claude(machine, "PreToolUse", { tool_name: "Teleport", tool_input: {} }));
    const [finding] = findingsIn((await examine(machine)).report, "claude-code", "unknown");
    expect(finding).toMatchObject({ grade: "warning" });
    expect(finding?.text).toContain("Teleport");
  });

  it("hooks of others beside ours are named, with what wins", async ({ machine }) => {
    const theirs = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "./mine.sh" }] }] };
    machine.write("project/.claude/settings.json", JSON.stringify({ hooks: theirs }));
    await machine.cli(["init", "--hosts", "claude-code"]);
    const [finding] = findingsIn((await examine(machine)).report, "claude-code", "other hooks");
    expect(finding?.text).toContain("1 in settings.json: all hooks run at once");
  });

  it("rules that do not load are an error", async ({ machine }) => {
    machine.write("project/holdfast.yaml", "version: 1\nguards: { no-such: {} }\n");
    const { code, report } = await examine(machine);
    expect(code).toBe(1);
    expect(report.rules.some(({ check, grade, fix }) => check === "rules" && grade === "error" && fix)).toBe(true);
  });

  it("measures what a call costs on the registered way, and leaves no record of it", async ({ machine }) => {
    await machine.cli(["init", "--hosts", "claude-code"]);
    const { report } = await examine(machine);
    expect(findingsIn(report, "claude-code", "latency")[0]?.text).toMatch(/^[\d.]+ ms for one call/);
    expect(machine.records("audit")).toEqual([]);
  });

  it("every finding that is not good says what to do", async ({ machine }) => {
    mkdirSync(join(machine.projectDir, ".claude"));
    await machine.cli(["init", "--user", "--hosts", "claude-code"]);
    const { report } = await examine(machine);
    const bad = [...report.rules, ...report.hosts.flatMap(({ findings }) => findings)].filter(
      ({ grade }) => grade === "warning" || grade === "error",
    );
    expect(bad.filter(({ fix }) => !fix)).toEqual([]);
  });
});
