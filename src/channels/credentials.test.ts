import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHANNEL_TYPES } from "../approvals/channel.ts";
import { changedChannel, newChannel, shownChannel } from "./administration.ts";
import { openConfig, sealConfig, sealingKey } from "./credentials.ts";
import { KEY_FILE, loadKeyring } from "./keyring.ts";
import { MASK, maskConfig, mergeConfig } from "./masking.ts";
import { checkedConfig, SETTINGS } from "./settings.ts";

const OLD = sealingKey("the old key, of more than 32 characters");
const NEW = sealingKey("the new key, of more than 32 characters");
const OWNER = { id: "C-1", organisation: "acme", type: "slack" };
const SLACK = { bot_token: "xoxb-1", signing_secret: "s3cret", channel: "C1" };

const configs = fc.dictionary(fc.string(), fc.string());

describe("sealed settings", () => {
  it("F-26 what is sealed opens to the same, for its own channel, with a key of the ring, and for nobody else", () => {
    fc.assert(
      fc.property(configs, (config) => {
        const sealed = sealConfig(config, OWNER, [OLD]);
        expect(openConfig(sealed, OWNER, [NEW, OLD])).toEqual(JSON.parse(JSON.stringify(config)));
        expect(() => openConfig(sealed, OWNER, [NEW])).toThrow(/which is not here/);
        expect(() => openConfig(sealed, { ...OWNER, id: "C-2" }, [OLD])).toThrow(/another channel/);
        expect(() => openConfig(sealed, { ...OWNER, organisation: "rivals" }, [OLD])).toThrow(/another channel/);
      }),
    );
  });

  it("F-26 no letter of what is sealed can be changed", () => {
    const sealed = sealConfig(SLACK, OWNER, [NEW]);
    const letters = Array.from(sealed, (_, at) => at).slice(sealed.lastIndexOf(":") + 1, -1);
    for (const at of letters) {
      const changed = sealed.slice(0, at) + (sealed[at] === "A" ? "B" : "A") + sealed.slice(at + 1);
      expect(() => openConfig(changed, OWNER, [NEW])).toThrow(/HF932|changed|form/);
    }
  });

  it("F-26 neither the sealed text nor what is shown holds a credential", () => {
    const stored = newChannel({ ...OWNER, name: "releases", config: SLACK }, [NEW], new Date());
    const shown = shownChannel(stored, [NEW]);
    for (const text of [JSON.stringify(stored), JSON.stringify(shown)]) {
      expect(text).not.toContain("xoxb-1");
      expect(text).not.toContain("s3cret");
    }
    expect(shown.config).toMatchObject({ bot_token: MASK, signing_secret: MASK, channel: "C1" });
    expect(shownChannel(stored, [OLD])).toMatchObject({ config: {}, problem: expect.stringContaining("not here") });
  });

  it("F-26 what was shown, sent back, changes nothing; one setting can be changed alone", () => {
    const stored = newChannel({ ...OWNER, name: "releases", config: SLACK }, [OLD], new Date());
    const same = changedChannel(stored, { config: shownChannel(stored, [OLD]).config }, [OLD], new Date());
    expect(openConfig(same.sealedConfig, same, [OLD])).toMatchObject(SLACK);
    const changed = changedChannel(stored, { config: { channel: "C2" } }, [NEW, OLD], new Date());
    expect(openConfig(changed.sealedConfig, changed, [NEW])).toMatchObject({ ...SLACK, channel: "C2" });
    expect(() => changedChannel(stored, { config: { bot_token: null } }, [OLD], new Date())).toThrow(
      /bot_token is missing/,
    );
  });
});

describe("masks", () => {
  const anyConfig = fc.constantFrom(...CHANNEL_TYPES).chain((type) =>
    fc.tuple(
      fc.constant(type),
      fc.dictionary(
        fc.constantFrom(...Object.keys(SETTINGS[type])),
        fc.string({ minLength: 1 }).filter((text) => !/^[•*]+$/.test(text)),
      ),
    ),
  );

  it("F-26 every secret is masked, and a mask that comes back never replaces one", () => {
    fc.assert(
      fc.property(anyConfig, ([type, config]) => {
        const masked = maskConfig(type, config);
        for (const [key, setting] of Object.entries(SETTINGS[type]))
          if (setting.isSecret && config[key] !== undefined) expect(masked[key]).toBe(MASK);
        expect(mergeConfig(type, config, masked)).toEqual(config);
        expect(mergeConfig(type, config, Object.fromEntries(Object.keys(config).map((key) => [key, "***"])))).toEqual(
          config,
        );
      }),
    );
  });

  it("F-26 secrets that are not entered again are not sent to another address", () => {
    const known = { ...SLACK, base_url: "https://slack.com" };
    const elsewhere = { base_url: "https://evil.example" };
    expect(() => mergeConfig("slack", known, elsewhere)).toThrow(/would be sent there/);
    expect(() => mergeConfig("slack", SLACK, { ...elsewhere, bot_token: MASK })).toThrow(/would be sent there/);
    expect(() => mergeConfig("slack", SLACK, { ...elsewhere, bot_token: "new" })).toThrow(/signing_secret/);
    const all = { ...elsewhere, bot_token: "new", signing_secret: "new" };
    expect(mergeConfig("slack", known, all)).toEqual({ ...known, ...all });
    expect(mergeConfig("slack", SLACK, { base_url: "https://slack.com" })).toMatchObject(SLACK);
  });

  it("F-26 a setting we do not know is taken for a secret", () => {
    expect(maskConfig("slack", { new_secret: "x", constructor: "y" })).toEqual({ new_secret: MASK, constructor: MASK });
  });
});

describe("settings", () => {
  it("X-7 B14-4 a channel without a secret that authenticates its callbacks cannot be made", () => {
    const feishu = { app_id: "a", app_secret: "b", chat_id: "c" };
    expect(() => checkedConfig("feishu", feishu)).toThrow(/anybody could forge a click/);
    expect(() => checkedConfig("feishu", { ...feishu, encrypt_key: "" })).toThrow(/anybody could forge/);
    expect(checkedConfig("feishu", { ...feishu, encrypt_key: "k" })).toMatchObject({
      base_url: "https://open.feishu.cn",
    });
    expect(() => checkedConfig("slack", { ...SLACK, signing_secret: "" })).toThrow(/signing_secret is missing/);
    expect(() => checkedConfig("webhook", { url: "https://a.example", secret: "short" })).toThrow(/at least 32/);
    expect(() => checkedConfig("wecom", {})).toThrow(/token is missing; aes_key is missing/);
  });

  it("what is unknown, and what would send credentials in the clear or elsewhere, is refused", () => {
    expect(() => checkedConfig("slack", { ...SLACK, chanel: "C1" })).toThrow(/chanel is no setting/);
    expect(() => checkedConfig("slack", { ...SLACK, constructor: "C1" })).toThrow(/constructor is no setting/);
    expect(() => checkedConfig("carrier-pigeon", {})).toThrow(/no channel type/);
    const secret = "s".repeat(32);
    for (const url of [
      "http://a.example",
      "ftp://a.example",
      "nonsense",
      "https://user:pass@a.example",
      "http://127.0.0.1.evil.example",
    ])
      expect(() => checkedConfig("webhook", { url, secret })).toThrow(/https URL/);
    for (const url of ["https://a.example/x", "http://127.0.0.1:1234/x", "http://[::1]:1/x"])
      expect(checkedConfig("webhook", { url, secret })).toMatchObject({ url });
    expect(() => checkedConfig("slack", { ...SLACK, bot_token: "a\r\nb" })).toThrow(/control characters/);
  });
});

describe("the keyring", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "holdfast-key-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("F-26 comes from the environment, the first key sealing and the others opening", () => {
    const environment = {
      HOLDFAST_SECRET_KEY: "the new key, of more than 32 characters, the old key, of more than 32 characters",
    };
    expect(() => loadKeyring(environment, folder)).toThrow(/too short/);
    const keys = ["n".repeat(40), "o".repeat(40)];
    const [current, older] = loadKeyring({ HOLDFAST_SECRET_KEY: keys.join(",") }, folder);
    expect([current.id, older?.id]).toEqual(keys.map((key) => sealingKey(key).id));
    expect(() => loadKeyring({ HOLDFAST_SECRET_KEY: "short" }, folder)).toThrow(/too short/);
  });

  it("F-26 else is a file of its own, made once, that only this user can read", () => {
    const [first] = loadKeyring({}, join(folder, "state"));
    const [second] = loadKeyring({}, join(folder, "state"));
    expect(second.id).toBe(first.id);
    const file = join(folder, "state", KEY_FILE);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    chmodSync(file, 0o644);
    expect(() => loadKeyring({}, join(folder, "state"))).toThrow(/others can read/);
    writeFileSync(file, "", { mode: 0o600 });
    chmodSync(file, 0o600);
    expect(() => loadKeyring({}, join(folder, "state"))).toThrow(/empty/);
  });
});
