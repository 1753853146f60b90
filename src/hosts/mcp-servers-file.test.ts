import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mcpServersEdit } from "./mcp-servers-file.ts";

const edit = mcpServersEdit("/p/.mcp.json", "/opt/holdfast");
const serversOf = (text: string) => JSON.parse(text).mcpServers;

describe("our MCP server in a person's file", () => {
  it("a file that is not there is created, and removed whole", () => {
    const text = edit.add(undefined);
    expect(serversOf(text)).toEqual({ holdfast: { command: "/opt/holdfast", args: ["mcp"] } });
    expect(edit.remove(text)).toBeUndefined();
  });

  it("other servers stay as they are, and removing ours gives the old bytes, in any formatting", () => {
    const server = fc.record({ command: fc.string(), args: fc.array(fc.string(), { maxLength: 2 }) });
    const names = fc.string({ minLength: 1 }).filter((name) => name !== "holdfast" && name !== "__proto__");
    const files = fc.record({ mcpServers: fc.dictionary(names, server) }, { requiredKeys: [] });
    fc.assert(
      fc.property(files, fc.constantFrom(0, 2, 4, "\t"), fc.constantFrom("", "\n"), (file, indent, end) => {
        const before = JSON.stringify(file, null, indent) + end;
        const after = edit.add(before);
        expect(serversOf(after)).toEqual({ ...file.mcpServers, holdfast: { command: "/opt/holdfast", args: ["mcp"] } });
        expect(edit.add(after)).toBe(after);
        expect(edit.remove(after)).toBe(before);
      }),
    );
  });

  it("another path of ours is updated in place", () => {
    const moved = mcpServersEdit("/p/.mcp.json", "/usr/bin/holdfast").add(edit.add(undefined));
    expect(serversOf(moved).holdfast.command).toBe("/usr/bin/holdfast");
  });

  it.each(["{", "[]", '{"mcpServers": 1}', '{"mcpServers": {"holdfast": {"url": "x"}}}'])(
    "%s is refused, not overwritten",
    (text) => {
      expect(() => edit.add(text)).toThrow(/mcp\.json/);
    },
  );
});
