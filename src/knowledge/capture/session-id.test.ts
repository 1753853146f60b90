import { describe, expect, it } from "vitest";
import { HoldfastError } from "../../core/errors.ts";
import { sessionIdOf } from "./session-id.ts";

const UUID4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("the id a log is named by", () => {
  it("N-19 is the host's own UUID, in lower case, of whatever version", () => {
    expect(sessionIdOf("claude-code", "D433689E-A06A-4AB4-8A2A-AB95EB57B2B3")).toBe(
      "d433689e-a06a-4ab4-8a2a-ab95eb57b2b3",
    );
    expect(sessionIdOf("codex", "01a1dc75-b10d-7ae3-88d3-1dc69d5045b5")).toBe("01a1dc75-b10d-7ae3-88d3-1dc69d5045b5");
  });

  it("N-19 is made of an id of OpenCode's or Cursor's own kind, and the same every time", () => {
    const made = sessionIdOf("opencode", "ses_e23860f1cffevtkGUERQARKv4m");
    expect(made).toMatch(UUID4);
    expect(sessionIdOf("opencode", "ses_e23860f1cffevtkGUERQARKv4m")).toBe(made);
    expect(sessionIdOf("cursor", "conversation-7")).toMatch(UUID4);
    expect(sessionIdOf("cursor", "conversation-8")).not.toBe(sessionIdOf("cursor", "conversation-7"));
  });

  it.each([
    ["claude-code", ""],
    ["claude-code", "../../../etc/passwd"],
    ["codex", "not-a-uuid"],
    ["gemini", "01a1dc75-b10d-7ae3-c8d3-1dc69d5045b5"],
    ["opencode", "ses_../x"],
    ["cursor", "a/b"],
    ["opencode", ""],
  ])("N-19 is not made of what is no id of %s: %j", (host, session) => {
    expect(() => sessionIdOf(host, session)).toThrow(HoldfastError);
  });
});
