/** What each type of channel wants to know. Validation, masking, merging and the docs go by this table. */
import { CHANNEL_TYPES, type ChannelType, isChannelType } from "../approvals/channel.ts";
import { HoldfastError } from "../core/errors.ts";
import { isHere, isSafeTarget } from "./http.ts";

export type ChannelConfig = Readonly<Record<string, string>>;

export interface Setting {
  readonly doc: string;
  readonly isSecret?: true;
  readonly isRequired?: true;
  readonly default?: string;
  /** Where secrets are sent to: whoever changes it must know them. */
  readonly getsSecrets?: true;
  /** Requests are sent there. */
  readonly isAddress?: true;
  /** Why a value cannot be used; undefined: it can. */
  check?(value: string): string | undefined;
}

const url = (value: string) =>
  URL.canParse(value) && isSafeTarget(new URL(value)) ? undefined : "must be an https URL (or http on this machine)";

export const SETTINGS: Readonly<Record<ChannelType, Readonly<Record<string, Setting>>>> = {
  feishu: {
    app_id: { doc: "App ID of the custom app", isRequired: true },
    app_secret: { doc: "App Secret", isRequired: true, isSecret: true },
    chat_id: { doc: "the group people are asked in (`oc_…`)", isRequired: true },
    verification_token: { doc: "Verification Token of the app's events and callbacks", isSecret: true },
    encrypt_key: { doc: "Encrypt Key of the app's events and callbacks", isSecret: true },
    base_url: {
      doc: "Lark: https://open.larksuite.com",
      default: "https://open.feishu.cn",
      check: url,
      isAddress: true,
      getsSecrets: true,
    },
  },
  slack: {
    bot_token: { doc: "Bot User OAuth Token (`xoxb-…`)", isRequired: true, isSecret: true },
    signing_secret: { doc: "Signing Secret of the app", isRequired: true, isSecret: true },
    channel: { doc: "id of the channel people are asked in (`C…`)", isRequired: true },
    team_id: { doc: "id of the workspace (`T…`): clicks from others are refused" },
    base_url: { doc: "for tests", default: "https://slack.com", check: url, isAddress: true, getsSecrets: true },
  },
  wecom: {
    corp_id: { doc: "id of the corporation (`ww…`)", isRequired: true },
    secret: { doc: "Secret of the app", isRequired: true, isSecret: true },
    agent_id: {
      doc: "AgentId of the app",
      isRequired: true,
      check: (value) => (/^\d{1,15}$/.test(value) ? undefined : "must be a number"),
    },
    to: {
      doc: "who is asked: user ids with `|` between them, or `@all`",
      isRequired: true,
    },
    token: { doc: "Token of the app's message receiver", isRequired: true, isSecret: true },
    aes_key: {
      doc: "EncodingAESKey of the app's message receiver",
      isRequired: true,
      isSecret: true,
      check: (value) => (/^[A-Za-z0-9+/]{43}$/.test(value) ? undefined : "must have 43 letters and digits"),
    },
    base_url: {
      doc: "for tests",
      default: "https://qyapi.weixin.qq.com",
      check: url,
      isAddress: true,
      getsSecrets: true,
    },
  },
  webhook: {
    url: { doc: "where requests are posted to", isRequired: true, check: url, isAddress: true },
    secret: {
      doc: "both sides sign with it",
      isRequired: true,
      isSecret: true,
      check: (value) => (value.length >= 32 ? undefined : "must have at least 32 characters"),
    },
  },
};

/** Of these at least one must be there: without it anybody could forge a click. */
const AUTHENTICATION: Partial<Readonly<Record<ChannelType, readonly string[]>>> = {
  feishu: ["verification_token", "encrypt_key"],
};

export function settingsOf(type: string): Readonly<Record<string, Setting>> {
  if (isChannelType(type)) return SETTINGS[type];
  throw new HoldfastError("HF933", `there is no channel type "${type}"`, {
    hint: `Use one of ${CHANNEL_TYPES.join(", ")}.`,
  });
}

/** The settings with their defaults, or all that is wrong with them in one error. */
export function checkedConfig(type: string, config: ChannelConfig): ChannelConfig {
  const settings = settingsOf(type);
  const problems = [
    ...Object.keys(config).flatMap((key) => (Object.hasOwn(settings, key) ? [] : [`${key} is no setting of ${type}`])),
    ...Object.entries(settings).flatMap(([key, setting]) => problemOf(key, setting, config[key] ?? "")),
    ...unauthenticated(type as ChannelType, config),
  ];
  if (problems.length > 0) throw new HoldfastError("HF933", `a ${type} channel: ${problems.join("; ")}`);
  const defaults = Object.entries(settings).flatMap(([key, { default: value }]) => (value ? [[key, value]] : []));
  const given = Object.entries(config).filter(([, value]) => value !== "");
  return { ...Object.fromEntries(defaults), ...Object.fromEntries(given) };
}

/** What listens on this machine takes requests of this machine for granted: only some may have them sent there. */
export function assertReach(type: string, config: ChannelConfig, mayReachHere: boolean): void {
  const here = Object.entries(settingsOf(type)).find(
    ([key, { isAddress }]) => isAddress && URL.canParse(config[key] ?? "") && isHere(new URL(config[key] ?? "")),
  );
  if (here && !mayReachHere)
    throw new HoldfastError("HF933", `a ${type} channel: ${here[0]} leads to the server's own machine`, {
      hint: "Only the organisation that the server was started for has channels there.",
    });
}

function problemOf(key: string, { isRequired, check }: Setting, value: unknown): string[] {
  if (typeof value !== "string") return [`${key} must be text`];
  if (value === "") return isRequired ? [`${key} is missing`] : [];
  const problem = /\p{Cc}/u.test(value) ? "must not contain control characters" : check?.(value);
  return problem === undefined ? [] : [`${key} ${problem}`];
}

function unauthenticated(type: ChannelType, config: ChannelConfig): string[] {
  const secrets = AUTHENTICATION[type];
  if (!secrets || secrets.some((key) => (config[key] ?? "") !== "")) return [];
  return [`one of ${secrets.join(", ")} is needed, or anybody could forge a click`];
}
