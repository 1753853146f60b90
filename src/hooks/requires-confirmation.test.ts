import { describe, expect, it } from "vitest";
import { sampleEvent } from "../core/engine.fixture.ts";
import { judge, before as picked, toolCall } from "./hooks.fixture.ts";
import { requiresConfirmation } from "./requires-confirmation.ts";

const crm = toolCall("mcp", { name: "mcp__crm__delete", server: "crm", method: "delete" } as object);
const marked = (mark: unknown) =>
  judge(
    requiresConfirmation,
    sampleEvent("pre_tool_use", { tool: crm, metadata: { requires_confirmation: mark } as never }),
  ).opinion.kind;

describe("calls that a person must confirm", () => {
  it("F-14 it is there without any config, and has no effect where nothing asks for it", () => {
    expect(requiresConfirmation.optIn).toBeUndefined();
    expect(judge(requiresConfirmation, picked(crm)).opinion.kind).toBe("none");
  });

  it("F-12 a tool is named by a glob on its name, its kind or its server", () => {
    const asked = (glob: string) => judge(requiresConfirmation, picked(crm), { tools: [glob] }).opinion.kind;
    expect(["mcp__crm__*", "mcp", "mcp:crm/delete", "*"].map(asked)).toEqual(["ask", "ask", "ask", "ask"]);
    expect(["mcp__erp__*", "shell", "mcp:crm/get*"].map(asked)).toEqual(["none", "none", "none"]);
  });

  it("F-12 a call is marked in the event's metadata; anything but a clear no is a yes", () => {
    expect([true, "yes", 1, "error"].map(marked)).toEqual(["ask", "ask", "ask", "ask"]);
    expect([false, null].map(marked)).toEqual(["none", "none"]);
  });
});
