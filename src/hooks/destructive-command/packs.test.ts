import { describe, expect, it } from "vitest";
import { judgeCase } from "./cases.ts";
import { reasonOf } from "./judge.ts";
import { PACKS } from "./packs.ts";

const text = (item: string | { command: string }) => (typeof item === "string" ? item : item.command);

describe.each(PACKS.flatMap(({ rules }) => rules))("rule $id", (rule) => {
  it.each(rule.stops.map((item) => [text(item), item] as const))("stops %s", (_, item) => {
    expect(judgeCase(item).rules).toContain(rule.id);
  });

  it.each(rule.passes.map((item) => [text(item), item] as const))("leaves %s alone", (_, item) => {
    expect(judgeCase(item).rules).not.toContain(rule.id);
  });

  it("suggests only what is allowed", () => {
    const commands = [...rule.instead.matchAll(/`([^`]+)`/g)].map(([, command]) => command as string);
    for (const command of commands) expect(judgeCase(command), command).toMatchObject({ decision: "none" });
  });

  it("says what was stopped, why and what to do instead, in under 400 characters and without exclamation marks", () => {
    const [first] = rule.stops;
    const finding = first && judgeCase(first).findings.find((found) => found.rule.id === rule.id);
    const reason = finding ? reasonOf(finding) : "";
    expect(reason.length).toBeLessThan(400);
    expect(reason).toContain("Do instead:");
    expect(reason).not.toContain("!");
  });
});

it("rule ids are unique and begin with their pack's name", () => {
  const ids = PACKS.flatMap(({ name, rules }) => rules.map(({ id }) => [name, id] as const));
  expect(new Set(ids.map(([, id]) => id)).size).toBe(ids.length);
  for (const [name, id] of ids) expect(id.startsWith(`${name}/`)).toBe(true);
});
