/** A hook has its types in a project that has not installed the package. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect } from "vitest";
import { it, type Machine } from "../program.ts";

const tsc = join(import.meta.dirname, "..", "..", "node_modules", ".bin", "tsc");

const compile = async (machine: Machine) => {
  try {
    await promisify(execFile)(tsc, ["-p", ".holdfast"], { cwd: machine.projectDir });
    return "";
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
};

const hook = (answer: string) => `import { defineHook } from "holdfast";

export default defineHook({
  name: "types",
  on: ["pre_tool_use"],
  when: { kind: "shell" },
  judge(event) {
    if (event.tool.command.startsWith("deploy")) return ${answer};
  },
});
`;

describe("types of a hook, in a project without the package", () => {
  it("event and answer are inferred from the events it listens to", async ({ machine }) => {
    expect((await machine.cli(["init", "--hosts", "claude-code"])).code).toBe(0);
    machine.write("project/.holdfast/hooks/types/hook.ts", hook('{ block: "not today" }'));
    expect(await compile(machine)).toBe("");
    machine.write("project/.holdfast/hooks/types/hook.ts", hook('{ blok: "not today" }'));
    expect(await compile(machine)).toContain("blok");
    machine.write("project/.holdfast/hooks/types/hook.ts", hook('{ continue: "go on" }'));
    expect(await compile(machine)).toContain("error TS");
  });
});
