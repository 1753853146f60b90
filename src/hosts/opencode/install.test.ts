import { describe, expect, it } from "vitest";
import { HoldfastError } from "../../core/errors.ts";
import type { FileEdit, InstallTarget } from "../host.ts";
import { targetOf } from "../install-conformance.fixture.ts";
import { install } from "./install.ts";

const editsOf = (changes: Partial<InstallTarget> = {}) => install.edits(targetOf(changes));
const pluginFile = (changes: Partial<InstallTarget> = {}) => editsOf(changes)[0] as FileEdit;

describe("installing for OpenCode: the plugin file", () => {
  it.each([
    [{}, "/project/.opencode/plugins/holdfast.js"],
    [{ level: "local" }, "/project/.opencode/plugins/holdfast.js"],
    [{ level: "user" }, "/home/user/.config/opencode/plugins/holdfast.js"],
    [{ level: "user", env: { XDG_CONFIG_HOME: "/x" } }, "/x/opencode/plugins/holdfast.js"],
    [{ level: "user", env: { OPENCODE_CONFIG_DIR: "/oc" } }, "/oc/plugins/holdfast.js"],
  ] as const)("%j is %s", (changes, path) => {
    expect(pluginFile(changes).path).toBe(path);
  });

  it("is all ours: written twice it is the same, written for another path it is replaced, removed it is gone", () => {
    const text = pluginFile().add(undefined);
    expect(pluginFile().add(text)).toBe(text);
    const moved = pluginFile({ plugin: "/new/plugin.cjs" });
    expect(moved.add(text)).toBe(moved.add(undefined));
    expect(pluginFile().remove(text)).toBeUndefined();
  });

  it("a file of that name that somebody else wrote is left alone", () => {
    expect(() => pluginFile().add("export const X = 1")).toThrow(HoldfastError);
    expect(pluginFile().remove("export const X = 1")).toBe("export const X = 1");
  });

  it("there is no managed level", () => {
    expect(() => editsOf({ level: "managed" })).toThrow(/no settings of the level/);
  });

  it("where Holdfast cannot be loaded, every tool call is blocked and the person is told what to do", async () => {
    const text = pluginFile({ plugin: "/no where/plügin.cjs" }).add(undefined);
    const { Holdfast } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
    const hooks = await Holdfast({});
    await expect(hooks["tool.execute.before"]({}, {})).rejects.toThrow(
      /^Blocked by holdfast: \/no where\/plügin\.cjs cannot be loaded.*holdfast init/s,
    );
  });
});

describe("installing for OpenCode: the MCP server", () => {
  const serverFile = (text: string, name = "opencode.json") =>
    editsOf({ readFile: (path) => (path === `/project/${name}` ? text : undefined) })[1] as FileEdit;
  const ENTRY = { type: "local", command: ["/opt/holdfast/bin/holdfast", "mcp"], enabled: true };

  it("stands in a file that is there, and none is made", () => {
    expect(editsOf()).toHaveLength(1);
    expect(serverFile("{}").path).toBe("/project/opencode.json");
    expect(serverFile("{}", "opencode.jsonc").path).toBe("/project/opencode.jsonc");
    expect(editsOf({ level: "user", readFile: () => "{}" })).toHaveLength(1);
    expect(JSON.parse(serverFile("{}").add("{}"))).toEqual({ mcp: { holdfast: ENTRY } });
  });

  it.each([
    "{}",
    '{ "model": "a/b" }\n',
    '{\n  // mine\n  "mcp": {\n    "x": { "type": "local" } // why\n  },\n}\n',
    '{"mcp":{}, /* c */ "a":1}',
  ])("%j comes back to the byte", (text) => {
    const edit = serverFile(text);
    const added = edit.add(text);
    expect(added).toContain('"holdfast"');
    expect(edit.add(added)).toBe(added);
    expect(edit.remove(added)).toBe(text);
  });

  it.each(["", "{", "[]", '{"mcp": 1}', '{"mcp":{"holdfast":{"type":"remote"}}}'])("%j is refused", (text) => {
    expect(() => serverFile(text).add(text)).toThrow(HoldfastError);
  });
});
