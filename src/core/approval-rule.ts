/** One rule of the section `approvals:` as the plan holds it: which calls need a person's yes, and whose. */
import type { ToolKind } from "./tool.ts";

export const APPROVAL_MODES = ["auto", "inline", "channel"] as const;
export type ApprovalMode = (typeof APPROVAL_MODES)[number];

export interface ApprovalRule {
  /** Unique in its file: decisions and records say `approvals/<name>`. */
  readonly name: string;
  readonly when: ApprovalWhen;
  readonly approvers: {
    /** `@initiator` stands for whomever the agent acts for. */
    readonly people: readonly string[];
    readonly roles: readonly string[];
    readonly count: number;
    readonly notInitiator: boolean;
  };
  readonly mode: ApprovalMode;
  readonly channel: string | null;
  readonly expiresMs: number;
  /** How long a call may be held up; null: as long as its host allows. */
  readonly waitMs: number | null;
  readonly remindEveryMs: number | null;
  readonly escalate: {
    readonly afterMs: number;
    readonly people: readonly string[];
    readonly roles: readonly string[];
    readonly channel: string | null;
  } | null;
}

/** All that is said must hold; of a list, one. */
export interface ApprovalWhen {
  readonly tools?: readonly string[];
  readonly kinds?: readonly ToolKind[];
  readonly commands?: readonly string[];
  readonly paths?: readonly string[];
  readonly effects?: readonly EffectWord[];
  readonly agents?: readonly string[];
  readonly inheritsAgents?: boolean;
  readonly requiresConfirmation?: true;
  readonly amount?: { readonly field: string; readonly above: number };
  readonly all?: true;
}

/** What a call does to the world, in words for rules: the effects of a command, or what an embedder says of its tool. */
export const EFFECT_WORDS = {
  publish: "puts something into a registry or release, or takes it out of one",
  deploy: "brings something into service, or changes what is in service",
  spend: "costs money; only an embedder knows (`metadata.effects`)",
  delete: "deletes files, data, branches, machines or whatever a cloud holds",
  database: "changes a database beyond single rows",
  infrastructure: "changes clouds, containers or clusters",
  access: "gives or opens access, changes permissions",
  system: "changes the machine: devices, services, power, all processes",
  history: "rewrites or discards what git keeps",
  "remote-code": "runs code from elsewhere, or code that nobody can read beforehand",
  secrets: "sends secrets away",
} as const;
export type EffectWord = keyof typeof EFFECT_WORDS;
export const EFFECT_NAMES = Object.keys(EFFECT_WORDS) as readonly EffectWord[];

/** Begins the `rule` of every reason that comes from these rules. */
/** Among approvers: whomever the agent acts for. */
export const INITIATOR = "@initiator";

export const APPROVALS_PREFIX = "approvals/";
export const APPROVALS_HOOK = "approvals";
