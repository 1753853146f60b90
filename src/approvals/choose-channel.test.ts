import { describe, expect, it } from "vitest";
import { chooseChannel } from "./choose-channel.ts";
import type { StoredChannel } from "./store.ts";

const channelOf = (id: string, changes: Partial<StoredChannel> = {}): StoredChannel => ({
  id,
  organisation: "acme",
  type: "feishu",
  name: `name-${id}`,
  isActive: true,
  sealedConfig: "",
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
  ...changes,
});

const NO_WISH = { explicit: null, completion: null };

describe("the channel people are asked in", () => {
  const channels = [channelOf("1"), channelOf("2"), channelOf("3", { type: "slack", name: "releases" })];

  it("F-20 is the one the rule names, by id, by name, or by type and name", () => {
    for (const explicit of ["3", "releases", "slack:releases"])
      expect(chooseChannel("acme", channels, { explicit, completion: "2" })?.id).toBe("3");
  });

  it("F-20 else the completion channel, else the oldest of the organisation", () => {
    expect(chooseChannel("acme", channels, { explicit: null, completion: "2" })?.id).toBe("2");
    expect(chooseChannel("acme", channels, NO_WISH)?.id).toBe("1");
    expect(chooseChannel("acme", [], NO_WISH)).toBeUndefined();
  });

  it("F-20 what is switched off, or another organisation's, is as if it were not there", () => {
    const some = [channelOf("1", { isActive: false }), channelOf("2", { organisation: "rivals" }), channelOf("3")];
    expect(chooseChannel("acme", some, NO_WISH)?.id).toBe("3");
    expect(chooseChannel("acme", some, { explicit: "1", completion: "2" })?.id).toBe("3");
    expect(chooseChannel("acme", some.slice(0, 2), { explicit: "2", completion: null })).toBeUndefined();
  });

  it("F-20 one of a type that nobody can send to counts as none", () => {
    const pigeon = channelOf("1", { type: "carrier-pigeon" });
    expect(chooseChannel("acme", [pigeon, channelOf("2")], NO_WISH)).toBeUndefined();
    expect(chooseChannel("acme", [channelOf("2"), pigeon], { explicit: "1", completion: null })).toBeUndefined();
  });
});
