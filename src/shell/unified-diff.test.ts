import { expect, it } from "vitest";
import { namesInDiff } from "./unified-diff.ts";

it.each([
  ["quotes that are never closed", (count: number) => `diff --git "${'\\"'.repeat(count)}`],
  ["blanks before the end of a line of another kind", (count: number) => `--- ${" ".repeat(count)}\u2028`],
])("a patch is read in a time that grows with its length alone: %s", (_, text) => {
  const time = (count: number) => {
    const before = process.cpuUsage();
    namesInDiff(text(count));
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  time(2_000);
  expect(time(60_000)).toBeLessThan(Math.max(time(2_000), 1) * 100);
});

it("a name in quotes that are never closed is still a name", () => {
  expect(namesInDiff('diff --git "a/x b/holdfast.yaml')).toContain("b/holdfast.yaml");
});
