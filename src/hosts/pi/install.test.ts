import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { afterAll, describe, expect, it, vi } from "vitest";
import { HoldfastError } from "../../core/errors.ts";
import type { FileEdit, InstallTarget } from "../host.ts";
import { targetOf } from "../install-conformance.fixture.ts";
import { install } from "./install.ts";
import { program } from "./program.ts";

function only(edits: readonly FileEdit[] | undefined): FileEdit {
  const [edit, ...others] = edits ?? [];
  if (!edit || others.length > 0) throw new Error("not one edit");
  return edit;
}

const extension = (changes: Partial<InstallTarget> = {}) => only(install.edits(targetOf(changes)));
const consent = (changes: Partial<InstallTarget> = {}) => only(install.consents?.(targetOf(changes)));

describe("installing for pi: the extension", () => {
  it("each level has its file, and PI_CODING_AGENT_DIR moves the person's", () => {
    expect(extension().path).toBe("/project/.pi/extensions/holdfast.js");
    expect(extension({ level: "local" }).path).toBe("/project/.pi/extensions/holdfast.js");
    expect(extension({ level: "user" }).path).toBe("/home/user/.pi/agent/extensions/holdfast.js");
    const moved = (PI_CODING_AGENT_DIR: string) => extension({ level: "user", env: { PI_CODING_AGENT_DIR } }).path;
    expect(moved("/conf")).toBe("/conf/extensions/holdfast.js");
    expect(moved("~/conf")).toBe("/home/user/conf/extensions/holdfast.js");
    expect(() => extension({ level: "managed" })).toThrow(/no settings of the level/);
  });

  it("is all ours: written twice it is the same, written for another path it is replaced, removed it is gone", () => {
    const text = extension().add(undefined);
    expect(text).toContain(`const plugin = "/opt/holdfast/dist/plugin.cjs";`);
    expect(extension().add(text)).toBe(text);
    const moved = extension({ plugin: '/my "dir"/plugin.cjs' });
    expect(moved.add(text)).toBe(moved.add(undefined));
    expect(extension().remove(text)).toBeUndefined();
  });

  it("a file of that name that somebody else wrote is left alone", () => {
    for (const text of ["", "export default function () {}", " // Written by holdfast init"]) {
      expect(() => extension().add(text)).toThrow(HoldfastError);
      expect(extension().remove(text)).toBe(text);
    }
  });
});

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "holdfäst pi ")));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe("installing for pi: what the extension does", () => {
  type Handler = (event: object, context: object) => Promise<unknown>;

  async function load(plugin: string): Promise<Map<string, Handler>> {
    const file = join(scratch, "extension.mjs");
    writeFileSync(file, extension({ plugin }).add(undefined));
    const handlers = new Map<string, Handler>();
    const { default: start } = await import(/* @vite-ignore */ `${pathToFileURL(file).href}?${plugin}`);
    start({ on: (name: string, handler: Handler) => handlers.set(name, handler) });
    return handlers;
  }

  const plugin = (name: string, text: string) => {
    writeFileSync(join(scratch, name), text);
    return join(scratch, name);
  };

  it("hands pi to the plugin of the host", async () => {
    const text = `exports.pluginFor = (id) => (pi) => pi.on("plugin of " + id, () => {});`;
    expect([...(await load(plugin('good "1".cjs', text))).keys()]).toEqual(["plugin of pi"]);
  });

  it.each([
    ["is gone", () => "/nowhere/plugin.cjs", /Cannot find module/],
    ["is broken", () => plugin("broken.cjs", "this is no JavaScript"), /Unexpected|Invalid/],
    ["is another", () => plugin("other.cjs", ""), /pluginFor is not a function/],
    ["fails", () => plugin("fails.cjs", `exports.pluginFor = () => () => { throw "no\\nreason"; };`), /\(no\)/],
  ])("where the plugin %s, nothing runs and the person reads what to do", async (_case, path, problem) => {
    const handlers = await load(path());
    const block = (await handlers.get("tool_call")?.({}, {})) as { block: boolean; reason: string };
    expect(block).toEqual({ block: true, reason: expect.stringMatching(/^Blocked by holdfast: its rules could not/) });
    expect(block.reason).toMatch(problem);
    expect(block.reason).toContain(`"holdfast init" again`);
    expect(block.reason).toContain("/project/.pi/extensions/holdfast.js");
    const notify = vi.fn();
    expect(await handlers.get("input")?.({}, { hasUI: true, ui: { notify } })).toEqual({ action: "handled" });
    expect(notify).toHaveBeenCalledWith(block.reason, "error");
  });
});

describe("installing for pi: the person's trust", () => {
  const edit = consent();
  const ours = `"\\u002fproject": true`;

  it("stands in pi's store, in a spelling that every reader of JSON takes for the project's directory", () => {
    expect(edit.path).toBe("/home/user/.pi/agent/trust.json");
    expect(edit.add(undefined)).toBe(`{\n  ${ours}\n}\n`);
    expect(JSON.parse(edit.add(undefined))).toEqual({ "/project": true });
    expect(edit.remove(edit.add(undefined))).toBeUndefined();
    expect(consent({ env: { PI_CODING_AGENT_DIR: "/conf" } }).path).toBe("/conf/trust.json");
  });

  it("is given for a project only: a person's own extensions need none", () => {
    expect(install.consents?.(targetOf({ level: "user" }))).toEqual([]);
    expect(consent({ level: "local" }).path).toBe(edit.path);
  });

  it("adding twice changes no byte, and removing gives back every byte", () => {
    const directories = fc.constantFrom("/other", "/projects", "/project/sub", 'a "b" \\', "");
    const stores = fc.dictionary(directories, fc.constantFrom(true, false, null), { noNullPrototype: true });
    const texts = fc
      .tuple(stores, fc.constantFrom("", "  ", "\t"), fc.constantFrom("\n", "\r\n"), fc.boolean())
      .map(([store, indent, eol, marked]) => {
        return (marked ? "\uFEFF" : "") + `${JSON.stringify(store, null, indent)}\n`.replaceAll("\n", eol);
      });
    fc.assert(
      fc.property(texts, (text) => {
        const added = edit.add(text);
        expect(JSON.parse(added.replace("\uFEFF", ""))).toEqual({
          ...JSON.parse(text.replace("\uFEFF", "")),
          "/project": true,
        });
        expect(edit.add(added)).toBe(added);
        expect(edit.remove(added)).toBe(text);
      }),
    );
  });

  it("what the person said stays: for the project, or for a directory above it", () => {
    for (const text of [`{"/project": true}`, `{"/project": false}`, `{"/project": null}`, `{"/": true}`]) {
      expect(edit.add(text)).toBe(text);
      expect(edit.remove(text)).toBe(text);
    }
  });

  it("a store that cannot be read is not touched", () => {
    for (const text of ["", "{", "[]", "null"]) {
      for (const change of [edit.add, edit.remove]) expect(() => change(text)).toThrow(/trust\.json/);
    }
  });

  it("is for the directory behind a link, as pi looks it up", () => {
    mkdirSync(join(scratch, "real"));
    symlinkSync(join(scratch, "real"), join(scratch, "link"));
    const linked = consent({ projectDir: join(scratch, "link") });
    expect(JSON.parse(linked.add(undefined))).toEqual({ [join(scratch, "real")]: true });
  });

  describe("whether pi will load us", () => {
    const trust = (files: Record<string, string>, changes: Partial<InstallTarget> = {}) =>
      program.trust?.(targetOf({ readFile: (path) => files[path.replace("/home/user/.pi/agent/", "")], ...changes }))
        .state;

    it.each([
      ["nothing is said", {}, "untrusted"],
      ["we were vouched for", { "trust.json": `{\n  ${ours}\n}\n` }, "trusted"],
      ["the person said yes", { "trust.json": `{"/project": true}` }, "trusted"],
      ["the person said yes to a directory above", { "trust.json": `{"/": true}` }, "trusted"],
      ["the nearest says no", { "trust.json": `{"/": true, "/project": false}` }, "untrusted"],
      ["another project is trusted", { "trust.json": `{"/projects": true}` }, "untrusted"],
      ["all are trusted", { "settings.json": `{"defaultProjectTrust": "always"}` }, "trusted"],
      [
        "all are trusted but this one",
        { "settings.json": `{"defaultProjectTrust": "always"}`, "trust.json": `{"/project": false}` },
        "untrusted",
      ],
      ["none is trusted", { "settings.json": `{"defaultProjectTrust": "never"}` }, "untrusted"],
      ["the store is broken", { "trust.json": "{" }, "untrusted"],
    ])("%s: %j is %s", (_case, files, expected) => {
      expect(trust(files)).toBe(expected);
    });

    it("a person's own extensions are always loaded", () => {
      expect(trust({}, { level: "user" })).toBe("trusted");
    });

    it("the fix is one that works", () => {
      const fix = (text?: string) => {
        const said = program.trust?.(
          targetOf({ readFile: (path) => (path.endsWith("trust.json") ? text : undefined) }),
        );
        return said?.state === "untrusted" ? said.fix : undefined;
      };
      expect(fix()).toBe("holdfast init --hosts pi --yes");
      expect(fix(`{"/project": false}`)).toContain("/trust");
      expect(fix(`{"/project": null}`)).toContain("/trust");
    });
  });
});
