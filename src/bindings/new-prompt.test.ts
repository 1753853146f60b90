import { expect, it } from "vitest";
import { saidSince } from "./new-prompt.ts";

const roles = {
  isAgents: (message: string) => message.startsWith("agent"),
  isPersons: (message: string) => message.startsWith("person"),
};

it.each([
  ["all messages of the person that nobody answered", ["person 1", "person 2"], ["person 1", "person 2"]],
  ["not what was answered before", ["person 1", "agent", "person 2", "person 3"], ["person 2", "person 3"]],
  ["also what is followed by something else", ["agent", "person 1", "system"], ["person 1"]],
  ["also what is followed by words put into the agent's mouth", ["agent", "person 1", "agent"], ["person 1"]],
  ["nothing where the person said nothing", ["person 1", "agent", "tool"], []],
])("new is %s", (_what, messages, expected) => {
  expect(saidSince(messages, roles)).toEqual(expected);
});
