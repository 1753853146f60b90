/** A shell that is to run what is no text: nobody can judge it, so it does not run, on whatever host. */
import { describe, expect } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import type { Host } from "../../src/hosts/host.ts";
import { HOSTS } from "../../src/hosts/registry.ts";
import { payload } from "../payloads.ts";
import { it, type Machine } from "../program.ts";

/** The event is named on the command line too: not every host's payload says it. */
const shellCalled = (host: Host, machine: Machine, input: JsonObject) => {
  const { id, codec, probes, support } = host;
  const [native = ""] = support.pre_tool_use?.native ?? [];
  const sample = { on: "pre_tool_use", native, session: "s1", cwd: machine.projectDir, id: "call-1" } as const;
  const sent = codec.compose({ ...sample, call: { tool: probes.shell("").tool, input } });
  return machine.run(["hook", "--host", id, "--event", native], { stdin: JSON.stringify(sent) });
};

const UNREADABLE: readonly [string, JsonObject][] = [
  ["no input at all", {}],
  ["a list of words", { command: ["rm", "-rf", "/"] }],
  ["another field", { cmd: "rm -rf /" }],
  ["null", { command: null }],
];

describe.each(HOSTS.map((host) => [host.id, host] as const))("%s", (_id, host) => {
  it("blocks a shell call whose command is no text, says why, offers no pass, and records it", async ({ machine }) => {
    for (const [, input] of UNREADABLE) {
      const { stdout, stderr } = await shellCalled(host, machine, input);
      expect(`${stdout}${stderr}`, JSON.stringify(input)).toContain("without a command that is a text");
      expect(`${stdout}${stderr}`).not.toContain("allow-once");
    }
    const blocked = machine.records("audit").filter(({ decision }) => decision === "block");
    expect(blocked).toHaveLength(UNREADABLE.length);
    expect(blocked[0]?.reasons[0]).toMatchObject({ rule: "input/no-command" });
  });
});

it("a command that is an empty text runs nothing, and passes", async ({ machine }) => {
  const claude = HOSTS.find(({ id }) => id === "claude-code") as Host;
  expect((await shellCalled(claude, machine, { command: "" })).stdout).toBe("");
});

describe("Cursor events that somebody registered by hand", () => {
  const cursor = (machine: Machine, name: string, changes: object) => payload(machine, "cursor", name, changes);

  it("beforeShellExecution is judged as the call of a shell", async ({ machine }) => {
    const said = async (changes: object) => {
      const { stdout } = await machine.hook("cursor", cursor(machine, "beforeShellExecution", changes));
      return JSON.parse(stdout);
    };
    expect(await said({ command: "ls" })).toEqual({});
    expect(await said({ command: "rm -rf /" })).toMatchObject({
      permission: "deny",
      user_message: expect.stringContaining("Blocked by holdfast:"),
    });
    expect(await said({ command: ["rm", "-rf", "/"] })).toMatchObject({ permission: "deny" });
    expect(machine.records("audit").map(({ tool_kind, decision }) => [tool_kind, decision])).toEqual([
      ["shell", "none"],
      ["shell", "block"],
      ["shell", "block"],
    ]);
  });

  it("beforeReadFile is judged as the reading of a file, and what stands in it is not recorded", async ({
    machine,
  }) => {
    const asked = cursor(machine, "beforeReadFile", {
      file_path: `${machine.projectDir}/.env`,
      content: "KEY=in-the-file",
    });
    const { stdout } = await machine.hook("cursor", asked);
    expect(JSON.parse(stdout)).toMatchObject({ permission: "deny" });
    expect(machine.records("audit")).toMatchObject([{ tool_kind: "read", decision: "ask", delivered: "block" }]);
    expect(JSON.stringify(machine.records("audit"))).not.toContain("in-the-file");
  });

  it("a payload of theirs that cannot be read is closed", async ({ machine }) => {
    const asked = cursor(machine, "beforeReadFile", { file_path: 4711 });
    expect((await machine.hook("cursor", asked)).code).toBe(2);
  });
});

it("an MCP tool whose server Cursor does not name leaves a notice, once a session: rules for servers did not look at it", async ({
  machine,
}) => {
  const asked = payload(machine, "cursor", "beforeMCPExecution", { mcp_server_name: undefined });
  for (let times = 0; times < 2; times++) expect(JSON.parse((await machine.hook("cursor", asked)).stdout)).toEqual({});
  const notices = machine.records("notices").filter(({ code }) => code === "unknown-server");
  expect(notices).toHaveLength(1);
  expect(notices[0]?.message).toContain("mcp:server/tool");
});
