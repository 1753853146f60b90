import { describe, expect, test } from "vitest";
import { HOSTS } from "../hosts/registry.ts";
import { takesPromptContext } from "./knowledge.ts";

describe("N-42 a prompt is answered with knowledge only where that was seen to reach the model", () => {
  test.each(HOSTS.map(({ id }) => id))("%s", (id) => {
    expect(takesPromptContext(id)).toBe(!["cursor", "kiro"].includes(id));
  });
});
