import { describe, expect, it } from "vitest";
import { keptToken } from "./token.ts";

describe("an access token", () => {
  it("F-32 is fetched once for all who ask at the same time, kept within its lifetime, and fetched anew before its end", async () => {
    let now = 0;
    let fetched = 0;
    const token = keptToken(
      async () => ({ token: `token-${++fetched}`, lifetimeMs: 7_200_000 }),
      () => now,
    );
    expect(await Promise.all([token.get(), token.get(), token.get()])).toEqual(["token-1", "token-1", "token-1"]);
    now = 7_100_000;
    expect(await token.get()).toBe("token-1");
    now = 7_199_000;
    expect(await token.get()).toBe("token-2");
  });

  it("F-32 is fetched anew where the platform no longer takes it, and not for one that was given up before", async () => {
    let fetched = 0;
    const token = keptToken(async () => ({ token: `token-${++fetched}`, lifetimeMs: 7_200_000 }));
    expect(await token.get()).toBe("token-1");
    token.forget("token-1");
    expect(await token.get()).toBe("token-2");
    token.forget("token-1");
    expect(await token.get()).toBe("token-2");
  });

  it("F-32 a fetch that failed is not kept", async () => {
    let fetched = 0;
    const token = keptToken(async () => {
      if (++fetched === 1) throw new Error("not now");
      return { token: "token", lifetimeMs: 1000 };
    });
    await expect(token.get()).rejects.toThrow("not now");
    expect(await token.get()).toBe("token");
  });
});
