import { describe, expect, it } from "vitest";
import { type ApprovalPage, allPages } from "./all-pages.ts";
import { approvalOf } from "./approval.fixture.ts";

const { approval } = approvalOf();

describe("every page of a list", () => {
  it("is read, up to the one that names no next", async () => {
    const pages = new Map<string | null, ApprovalPage>([
      [null, { approvals: [approval], next: "two" }],
      ["two", { approvals: [], next: "three" }],
      ["three", { approvals: [approval], next: null }],
    ]);
    expect(await allPages(async (cursor) => pages.get(cursor) as ApprovalPage)).toEqual([approval, approval]);
  });

  it.each([
    ["itself", { first: "again", again: "again" }],
    ["an earlier one", { first: "two", two: "three", three: "two" }],
  ])(
    "a page whose next is %s is an error: nobody reads for ever, and no part is taken for the whole",
    async (_, next) => {
      let asked = 0;
      const page = async (cursor: string | null): Promise<ApprovalPage> => {
        if (++asked > 50) throw new Error("read without end");
        return { approvals: [approval], next: (next as Record<string, string>)[cursor ?? "first"] ?? null };
      };
      await expect(allPages(page)).rejects.toThrow("a page that came before");
    },
  );
});
