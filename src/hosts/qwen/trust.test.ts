import { describe, expect, it } from "vitest";
import type { InstallTarget } from "../host.ts";
import { targetOf } from "../install-conformance.fixture.ts";
import { install } from "./install.ts";
import { trust } from "./trust.ts";
import { isTrusted } from "./trusted-folders.ts";

const USER = "/home/user/.qwen/settings.json";
const PROJECT = "/project/.qwen/settings.json";
const FOLDERS = "/home/user/.qwen/trustedFolders.json";
const ON = `{ // mine\n "security": {"folderTrust": {"enabled": true}} }`;
const OFF = `{"security": {"folderTrust": {"enabled": false}}}`;

const withFiles = (files: Record<string, string>, changes: Partial<InstallTarget> = {}) =>
  targetOf({ readFile: (path) => files[path], ...changes });

describe("whether Qwen Code heeds a registration", () => {
  it("by default it asks for nothing, and nothing is vouched for", () => {
    expect(trust(withFiles({}))).toEqual({ state: "trusted" });
    expect(install.consents?.(withFiles({}))).toEqual([]);
  });

  it("where trust is asked for, the folder must be named; a project's word comes before the person's", () => {
    for (const files of [{ [USER]: ON }, { [PROJECT]: ON }, { [PROJECT]: ON, [USER]: OFF }]) {
      const asked = trust(withFiles(files));
      expect(asked).toMatchObject({ state: "untrusted", why: expect.stringContaining(FOLDERS) });
      expect(asked).toMatchObject({ fix: expect.stringContaining(`"/project": "TRUST_FOLDER"`) });
      expect(trust(withFiles({ ...files, [FOLDERS]: `{"/project": "TRUST_FOLDER"}` }))).toEqual({ state: "trusted" });
    }
    expect(trust(withFiles({ [PROJECT]: OFF, [USER]: ON }))).toEqual({ state: "trusted" });
    const denied = withFiles({ [USER]: ON, [FOLDERS]: `{"/project": "DO_NOT_TRUST"}` });
    expect(trust(denied)).toMatchObject({ why: expect.stringContaining("says not to trust") });
  });

  it("a person's own registration needs no trusted folder", () => {
    expect(trust(withFiles({ [USER]: ON }, { level: "user" }))).toEqual({ state: "trusted" });
    expect(install.consents?.(withFiles({ [USER]: ON }, { level: "user" }))).toEqual([]);
  });

  it("hooks that are switched off are heeded by nobody, and a broken file is named", () => {
    expect(trust(withFiles({ [USER]: `{"disableAllHooks": true}` }))).toMatchObject({
      why: expect.stringContaining("disableAllHooks"),
    });
    expect(trust(withFiles({ [PROJECT]: "{" }))).toMatchObject({ why: expect.stringContaining(PROJECT) });
  });
});

describe("a person's consent", () => {
  const asked = withFiles({ [USER]: ON });
  const [edit] = install.consents?.(asked) ?? [];
  if (!edit) throw new Error("no consent");

  it.each(["{}", "{ }\n", `{\n  // mine\n  "/other": "TRUST_FOLDER"\n}\n`])("is added to %j and taken back", (text) => {
    const added = edit.add(text);
    expect(edit.add(added)).toBe(added);
    expect(trust(withFiles({ [USER]: ON, [FOLDERS]: added }))).toEqual({ state: "trusted" });
    expect(edit.remove(added)).toBe(text);
  });

  it("makes the file where there is none, and what a person said stays", () => {
    expect(edit.path).toBe(FOLDERS);
    expect(edit.remove(edit.add(undefined))).toBeUndefined();
    for (const level of ["DO_NOT_TRUST", "TRUST_FOLDER"]) {
      const said = `{"/project": "${level}"}`;
      expect([edit.add(said), edit.remove(said)]).toEqual([said, said]);
    }
  });

  it("can be taken back when trust is no longer asked for", () => {
    const files = { [FOLDERS]: edit.add(undefined) };
    expect(install.consents?.(withFiles(files))).toHaveLength(1);
  });
});

it.each([
  [{}, undefined],
  [{ "/a": "TRUST_FOLDER" }, true],
  [{ "/": "TRUST_FOLDER" }, true],
  [{ "/a/b/x": "TRUST_PARENT" }, true],
  [{ "/a": "TRUST_FOLDER", "/a/b": "DO_NOT_TRUST" }, false],
  [{ "/a": "DO_NOT_TRUST", "/a/b": "TRUST_FOLDER" }, true],
  [{ "/a/b": "DO_NOT_TRUST", "/a/b/c": "TRUST_PARENT" }, false],
  [{ "/a/bc": "TRUST_FOLDER" }, undefined],
])("of the rules %j the deepest decides about /a/b: %s", (rules, expected) => {
  expect(isTrusted(rules, "/a/b")).toBe(expected);
});
