import { expect, it } from "vitest";
import { z } from "zod";
import type { Json } from "./json.ts";
import { plainIssue } from "./plain-issue.ts";

it.each<[z.ZodType, Json | undefined, string]>([
  [z.array(z.string()), "x", 'must be a list, not "x"'],
  [z.string(), ["a"], "must be text, not a list"],
  [z.boolean(), "yes", 'must be true or false, not "yes"'],
  [z.int(), 1.5, "must be a whole number, not 1.5"],
  [z.strictObject({}), null, "must be a block of keys, not nothing"],
  [z.record(z.string(), z.string()), 3, "must be a block of keys, not 3"],
  [z.string(), undefined, "is missing; it must be text"],
  [z.enum(["block", "ask"]), "blok", 'must be one of block, ask, not "blok"'],
  [z.literal(1), 2, "must be 1, not 2"],
  [z.string().min(1), "", "must not be empty"],
  [z.array(z.string()).min(1), [], "must not be empty"],
  [z.number().min(1), 0, "must be at least 1"],
  [z.int().max(9), 10, "must be at most 9"],
  [z.string().max(2), "abc", "must be at most 2 characters long"],
  [z.number().positive(), 0, "must be more than 0"],
  [z.number().lt(9), 9, "must be less than 9"],
  [z.string().min(1, "names nobody"), "", "names nobody"],
  [z.string().refine(() => false, "is no glob"), "a", "is no glob"],
  [z.string().regex(/^[a-z]+$/), "A", 'does not fit: "A"'],
  [z.union([z.string(), z.array(z.string())]), 3, "must be text or a list, not 3"],
  [z.union([z.string(), z.array(z.string()).min(1)]), [], "must not be empty"],
])("a schema's finding is said in plain words %#", (schema, value, words) => {
  const issue = schema.safeParse(value).error?.issues[0];
  expect(issue && plainIssue(issue, value)).toBe(words);
});
