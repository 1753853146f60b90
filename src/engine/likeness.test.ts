import { describe, expect, it } from "vitest";
import type { JsonObject } from "../core/json.ts";
import { isLike, type LikeCall } from "./likeness.ts";

const shell = (command: string, more: JsonObject = {}): LikeCall => ({
  tool: "Bash",
  kind: "shell",
  cwd: "/project",
  input: { command, ...more },
});
const tool = (input: JsonObject, name = "pay"): LikeCall => ({ tool: name, kind: "other", cwd: "/project", input });

describe("F-25 a command that people refused is known again", () => {
  it.each([
    ["npm publish", "npm publish"],
    ["npm publish", "npm  publish "],
    ["npm publish", "'npm' \"publish\""],
    ["npm publish", "np\\m publish"],
    ["npm publish", "sudo npm publish"],
    ["npm publish", "sudo -u root npm publish"],
    ["npm publish", "env NODE_ENV=production npm publish"],
    ["npm publish", "NODE_ENV=production npm publish"],
    ["npm publish", "sh -c 'npm publish'"],
    ["npm publish", 'bash -lc "npm publish"'],
    ["npm publish", "sudo sh -c 'env A=1 npm publish'"],
    ["npm publish", "timeout 60 nohup npm publish"],
    ["npm publish", "/usr/bin/npm publish"],
    ["npm publish", "npm publish --silent"],
    ["npm publish", "npm publish --tag latest"],
    ["npm publish", "npm --loglevel=silent publish"],
    ["npm publish", "cd . && npm publish"],
    ["npm publish", "echo done; npm publish"],
    ["npm publish", "npm publish > out.txt 2>&1"],
    ["npm publish", "npm publish>out.txt"],
    ["npm publish", "npm publish | tail -5"],
    ["npm publish", "(npm publish)"],
    ["npm publish", "eval npm publish"],
    ["npm publish", "verb=publish; npm $verb"],
    ["npm publish", "echo bnBtIHB1Ymxpc2g= | base64 -d | sh"],
    ["sudo npm publish", "npm publish"],
    ["npm publish", "if true; then npm publish; fi"],
    ["npm publish", "release() { npm publish; }; release"],
    ["cd packages && npm publish", "npm publish"],
    ["rm -r -f build", "rm -fr build"],
    ["rm -rf build", "rm -rf ./build"],
    ["rm -rf build", "rm -rf /project/build"],
    ["rm -rf /project/build", "rm -rf build"],
    ["deploy --to prod --fast", "deploy --fast --to prod"],
    ["deploy prod", "deploy prod --yes"],
  ])("%s comes again as %s", (refused, later) => {
    expect(isLike(shell(later), shell(refused))).toBe(true);
  });

  it.each([
    ["npm publish", "npm test"],
    ["npm publish", "npm publish --dry-run"],
    ["npm publish", "echo npm publish"],
    ["npm publish", "git log --grep 'npm publish'"],
    ["deploy prod", "deploy staging"],
    ["rm -rf build", "rm -rf dist"],
    ["rm -rf build", "ls build"],
    ["git push origin main", "git push origin feature"],
  ])("%s is not %s", (refused, later) => {
    expect(isLike(shell(later), shell(refused))).toBe(false);
  });

  it("what is said beside the command does not make it another", () => {
    const refused = shell("npm publish", { description: "publish", timeout: 1000 });
    expect(isLike(shell("npm publish", { description: "just a harmless check" }), refused)).toBe(true);
  });

  it("a list of words is the same command", () => {
    expect(isLike({ ...shell(""), input: { command: ["npm", "publish"] } }, shell("npm publish"))).toBe(true);
  });
});

describe("F-25 a call with arguments that people refused is known again", () => {
  const refused = tool({ amount: 900, to: { iban: "DE1", name: "A B" }, file: "/project/a.txt" });

  it.each<[string, JsonObject]>([
    ["with its keys in another order", { file: "/project/a.txt", to: { name: "A B", iban: "DE1" }, amount: 900 }],
    ["with one more argument", { amount: 900, to: { iban: "DE1", name: "A B" }, file: "/project/a.txt", urgent: true }],
    ["with other blanks", { amount: 900, to: { iban: "DE1 ", name: "A  B" }, file: "/project/a.txt" }],
    ["with a number as text", { amount: "900", to: { iban: "DE1", name: "A B" }, file: "/project/a.txt" }],
    ["with a relative path", { amount: 900, to: { iban: "DE1", name: "A B" }, file: "./a.txt" }],
    ["with a remark", { amount: 900, to: { iban: "DE1", name: "A B" }, file: "/project/a.txt", reason: "please" }],
  ])("%s", (_, input) => {
    expect(isLike(tool(input), { ...refused, input: { ...refused.input, file: "/project/a.txt" } })).toBe(true);
  });

  it("another amount, another receiver or another tool is another call", () => {
    expect(isLike(tool({ ...refused.input, amount: 100 }), refused)).toBe(false);
    expect(isLike(tool({ ...refused.input, to: { iban: "DE2", name: "A B" } }), refused)).toBe(false);
    expect(isLike(tool(refused.input, "read_invoice"), refused)).toBe(false);
  });
});
