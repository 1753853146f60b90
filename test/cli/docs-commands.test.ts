/** What the guides tell people to type exists, with its flags. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/entry/cli/commands.ts";

const root = join(import.meta.dirname, "../..");
const guides = readdirSync(join(root, "docs/guide")).map((name) => `docs/guide/${name}`);
const BY_NAME = new Map(COMMANDS.map((row) => [row.name, row]));
/** Taken by every command, or before one. */
const EVERYWHERE = ["help", "version", "json", "no-color"];

/** In code between backticks, and in lines of blocks of shell code. */
function typedIn(text: string): string[] {
  const blocks = [...text.matchAll(/```(?:sh|bash|console)\n(.*?)```/gs)].flatMap(([, block = ""]) =>
    block.split("\n"),
  );
  const inline = [...text.replace(/```.*?```/gs, "").matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);
  return [...blocks, ...inline].flatMap((line) => /^\s*(?:npx )?holdfast ([a-z].*)$/.exec(line)?.[1] ?? []);
}

function wrongIn(typed: string): string[] {
  const ours = typed.split(/ -- | #| \| | && | > |;/)[0] as string;
  const [name = "", ...rest] = ours.split(/\s+/);
  const wrong = name.split("|").flatMap((one) => (BY_NAME.has(one) ? [] : [`no command ${one}`]));
  const row = BY_NAME.get(name);
  if (!row) return wrong;
  const [verb = ""] = rest;
  if (name === "knowledge" && /^[a-z-]+$/.test(verb) && !row.usage.split(/[^a-z-]+/).includes(verb))
    wrong.push(`${name} has no ${verb}`);
  for (const [, flag = ""] of ours.replace(/"[^"]*"|'[^']*'/g, "").matchAll(/(?:^|[\s[])--([a-z][a-z-]*)/g))
    if (!(flag in row.flags) && !EVERYWHERE.includes(flag)) wrong.push(`${name} has no --${flag}`);
  return wrong;
}

describe("A13-18 what is documented exists", () => {
  test("a word or a flag that nobody knows is found", () => {
    const text = "`holdfast wrap`, `holdfast knowledge forget`\n```sh\nholdfast run a --no-such # --fine\n```\n";
    expect(typedIn(text).flatMap(wrongIn)).toEqual([
      "run has no --no-such",
      "no command wrap",
      "knowledge has no forget",
    ]);
  });

  test.each(["README.md", ...guides])("%s", (path) => {
    const typed = typedIn(readFileSync(join(root, path), "utf8"));
    expect(typed.flatMap((line) => wrongIn(line).map((what) => `${what}: holdfast ${line}`))).toEqual([]);
  });
});
