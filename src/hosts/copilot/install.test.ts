import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HoldfastError } from "../../core/errors.ts";
import type { FileEdit, InstallTarget } from "../host.ts";
import { targetOf } from "../install-conformance.fixture.ts";
import { install } from "./install.ts";
import { trust } from "./trusted-folders.ts";

function editsOf(changes: Partial<InstallTarget> = {}): readonly [FileEdit, ...FileEdit[]] {
  const [first, ...rest] = install.edits(targetOf(changes));
  if (!first) throw new Error("no edits");
  return [first, ...rest];
}

const [hooksFile] = editsOf();

describe("installing for Copilot: the hooks file", () => {
  it("registers every event in camelCase, with its name and its time", () => {
    const { version, hooks } = JSON.parse(hooksFile.add(undefined));
    expect(version).toBe(1);
    expect(Object.keys(hooks)).toEqual([
      "sessionStart",
      "sessionEnd",
      "userPromptSubmitted",
      "preToolUse",
      "permissionRequest",
      "postToolUse",
      "postToolUseFailure",
      "subagentStart",
      "subagentStop",
      "agentStop",
      "preCompact",
      "notification",
    ]);
    expect(hooks.preToolUse).toEqual([
      {
        type: "command",
        bash: "/opt/holdfast/bin/holdfast hook --host copilot --event preToolUse",
        timeoutSec: 60,
      },
    ]);
    expect(hooks.sessionEnd[0].timeoutSec).toBe(10);
  });

  it("is all ours: written twice it is the same, written for another path it is replaced, removed it is gone", () => {
    const text = hooksFile.add(undefined);
    expect(hooksFile.add(text)).toBe(text);
    const [moved] = editsOf({ program: "/my dir/holdfast" });
    expect(moved.add(text)).toBe(moved.add(undefined));
    expect(moved.add(text)).toContain(`'/my dir/holdfast' hook --host copilot --event preToolUse`);
    expect(hooksFile.remove(moved.add(undefined))).toBeUndefined();
  });

  it.each([
    "{",
    "{}",
    `{"version":1,"hooks":{}}`,
    `{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":"theirs"}]}}`,
    `{"version":1,"hooks":{"preToolUse":[{"bash":"/opt/holdfast/bin/holdfast hook --host copilot; theirs"}]}}`,
    `{"version":1,"hooks":{"preToolUse":[{"bash":"/opt/holdfast/bin/holdfast hook --host copilot"},7]}}`,
  ])("a file of that name that somebody else wrote (%s) is left alone", (text) => {
    expect(() => hooksFile.add(text)).toThrow(expect.objectContaining({ code: "HF401" }));
    expect(hooksFile.remove(text)).toBe(text);
  });

  it("each level has its place; local is the project's", () => {
    const pathOf = (changes: Partial<InstallTarget>) => editsOf(changes)[0].path;
    expect(pathOf({})).toBe("/project/.github/hooks/holdfast.json");
    expect(pathOf({ level: "local" })).toBe("/project/.github/hooks/holdfast.json");
    expect(pathOf({ level: "user" })).toBe("/home/user/.copilot/hooks/holdfast.json");
    expect(pathOf({ level: "user", env: { COPILOT_HOME: "/else" } })).toBe("/else/hooks/holdfast.json");
    if (process.platform === "linux") {
      expect(pathOf({ level: "managed" })).toBe("/etc/github-copilot/policy.d/holdfast.json");
    } else expect(() => pathOf({ level: "managed" })).toThrow(expect.objectContaining({ code: "HF402" }));
  });
});

describe("installing for Copilot: the MCP server", () => {
  const pathsOf = (files: Readonly<Record<string, string>>, level: InstallTarget["level"] = "project") =>
    install
      .edits(targetOf({ level, readFile: (path) => files[path] }))
      .slice(1)
      .map(({ path }) => path);

  it("is registered where Copilot looks, and a .mcp.json is not made: it would hide the other file", () => {
    expect(pathsOf({})).toEqual(["/project/.github/mcp.json"]);
    expect(pathsOf({ "/project/.mcp.json": "{}" })).toEqual(["/project/.github/mcp.json", "/project/.mcp.json"]);
    expect(pathsOf({}, "user")).toEqual([]);
    expect(pathsOf({}, "local")).toEqual([]);
  });
});

describe("trusting the project's folder", () => {
  const [consent] = install.consents?.(targetOf()) ?? [];
  const edit = consent as FileEdit;
  const trustWith = (text: string | undefined, changes: Partial<InstallTarget> = {}) =>
    trust(targetOf({ ...changes, readFile: (path) => (path === edit.path ? text : undefined) })).state;

  it("is asked for where the hooks are the project's only", () => {
    expect(edit.path).toBe("/home/user/.copilot/config.json");
    expect(install.consents?.(targetOf({ level: "local" }))).toHaveLength(1);
    expect(install.consents?.(targetOf({ level: "user" }))).toEqual([]);
    const [moved] = install.consents?.(targetOf({ env: { COPILOT_HOME: "/else" } })) ?? [];
    expect(moved?.path).toBe("/else/config.json");
  });

  const header = "// User settings belong in settings.json.\n// This file is managed automatically.\n";
  const texts = [
    "{}",
    "{ }\n",
    `${header}{\n  "trustedFolders": [],\n  "firstLaunchAt": "x"\n}\n`,
    `${header}{\n  "trustedFolders": [\n    "/other"\n  ]\n}`,
    `{\r\n\t"trustedFolders" : ["/other" , "/project-two"], // why\r\n\t"a": [1,],\r\n}`,
    `{"trustedFolders":["/project/below"]}`,
    `/* no list */ {"a": {"trustedFolders": ["/project"]}}`,
  ];

  it.each(texts)("is added once, counts, and is taken back to the byte: %j", (text) => {
    const added = edit.add(text);
    expect(trustWith(text)).toBe("untrusted");
    expect(trustWith(added)).toBe("trusted");
    expect(edit.add(added)).toBe(added);
    expect(edit.remove(added)).toBe(text);
    for (const comment of text.match(/\/\/.*|\/\*.*?\*\//g) ?? []) expect(added).toContain(comment);
  });

  it("whatever else the file holds, taking back gives its bytes", () => {
    const config = fc.record(
      { trustedFolders: fc.array(fc.constantFrom("/a", "/project-x", "/project/b")), a: fc.jsonValue() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(config, fc.constantFrom("", "  ", "\t"), fc.constantFrom("", header), (value, indent, head) => {
        const text = head + JSON.stringify(value, null, indent);
        expect(edit.remove(edit.add(text))).toBe(text);
      }),
    );
  });

  it("a file that is not there is made, and goes again", () => {
    const text = edit.add(undefined);
    expect(JSON.parse(text)).toEqual({ trustedFolders: ["/project/."] });
    expect(edit.remove(text)).toBeUndefined();
  });

  it.each(["/project", "/project/", "/", "/project/../project"])(
    "what a person trusted (%s) stays theirs",
    (folder) => {
      const text = JSON.stringify({ trustedFolders: [folder] });
      expect(trustWith(text)).toBe("trusted");
      expect(edit.add(text)).toBe(text);
      expect(edit.remove(text)).toBe(text);
    },
  );

  it("nothing there is not trusted, and a person's own hooks need no trust", () => {
    expect(trustWith(undefined)).toBe("untrusted");
    expect(trustWith(`{"trustedFolders":[7,"/proj","project"]}`)).toBe("untrusted");
    expect(trustWith(undefined, { level: "user" })).toBe("trusted");
    expect(trust(targetOf())).toMatchObject({ why: expect.stringContaining(edit.path) });
  });

  it.each(["", "{", "[]", `{"trustedFolders": {}}`, `{"trustedFolders": "/project"}`])(
    "a file that cannot be read (%j) is left alone",
    (text) => {
      expect(() => edit.add(text)).toThrow(HoldfastError);
      expect(() => edit.remove(text)).toThrow(expect.objectContaining({ code: "HF401" }));
    },
  );
});
