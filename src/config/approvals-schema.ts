/** The schema of `approvals:`, which calls need a person's yes, and of where approvals are kept. */
import { z } from "zod";
import { APPROVAL_MODES, EFFECT_NAMES, EFFECT_WORDS, type EffectWord } from "../core/approval-rule.ts";
import { TOOL_KINDS, type ToolKind } from "../core/tool.ts";

const text = z.string().min(1);
const oneOrMore = <T extends z.ZodType>(type: T) => z.union([type, z.array(type).min(1)]);
const duration = z.string().min(2);

const effects = EFFECT_NAMES.map((word) => `${word} (${EFFECT_WORDS[word]})`).join("; ");

export const approvalWhen = z.strictObject({
  tool: oneOrMore(text).optional().describe("globs on a tool's name or kind, or `mcp:server/tool`"),
  kind: oneOrMore(z.enum(TOOL_KINDS as unknown as [ToolKind, ...ToolKind[]]))
    .optional()
    .describe("kinds of tools"),
  command: oneOrMore(text)
    .optional()
    .describe("globs on a shell command: on the line as written, and on each program it starts"),
  paths: oneOrMore(text).optional().describe("globs on files the call names or its command would change"),
  effect: oneOrMore(z.enum(EFFECT_NAMES as unknown as [EffectWord, ...EffectWord[]]))
    .optional()
    .describe(`what the call does: ${effects}. What cannot be known matches each of them`),
  agent: oneOrMore(text).optional().describe("only calls of these agents and those they ask"),
  requires_confirmation: z.literal(true).optional().describe("calls that are marked requires_confirmation"),
  amount: z
    .strictObject({
      field: text.describe("where in the tool's input, dotted: `order.total`"),
      above: z.number().describe("a field that is missing or no number counts as above"),
    })
    .optional()
    .describe("calls about more than this"),
  all: z.literal(true).optional().describe("every call"),
});

export const approversEntry = z.strictObject({
  people: oneOrMore(text)
    .optional()
    .describe("ids of people; `@initiator` (or `@owner`) is whomever the agent acts for"),
  roles: oneOrMore(text).optional().describe("whoever has one of these roles"),
  role: text.optional().describe("the same as roles, of one"),
  count: z.int().min(1).max(50).optional().describe("how many yes are needed; one no is always enough; default 1"),
  not: z.literal("initiator").optional().describe("whoever the agent acts for may not decide"),
});

export const escalateEntry = z.strictObject({
  after: duration.describe("how long after the question, as in 30m"),
  people: oneOrMore(text).optional().describe("who may decide too from then on"),
  roles: oneOrMore(text).optional().describe("roles that may decide too"),
  role: text.optional().describe("the same as roles, of one"),
  channel: text.optional().describe("where they are asked"),
});

export const approvalEntry = z
  .strictObject({
    name: z
      .string()
      .regex(/^[\w.-]+$/)
      .optional()
      .describe("what decisions call the rule: `approvals/<name>`; default rule-1, rule-2, …"),
    when: approvalWhen.describe("which calls: all that is said must hold, of a list one"),
    approvers: approversEntry.optional().describe("who may decide; default: every approver of the organisation"),
    mode: z
      .enum(APPROVAL_MODES)
      .optional()
      .describe(
        "auto: in the channel if there is one, and in the inbox; inline: never in a channel; channel: blocked unless the channel was reached; default auto",
      ),
    channel: text.optional().describe("where people are asked, by the channel's name or id"),
    expires: duration.optional().describe("how long people have to answer, as in 90s, 15m, 2h, 3d; default 2h"),
    wait: duration
      .optional()
      .describe("how long the call itself waits at most, 0s not at all; default: as long as its host gives hooks time"),
    remind_every: duration.optional().describe("people are asked again every so often; default never"),
    escalate: escalateEntry.optional().describe("who is asked too where nobody answered"),
  })
  .describe("calls that run only after a person's yes");

export const approvalsSection = z
  .array(approvalEntry)
  .describe("calls that run only after the yes of the people named; the first rule of a file that matches speaks");

const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/|$)/;

const server = z.string().regex(/^https?:\/\/\S+$/);
const tokenEnv = z.string().regex(/^[A-Za-z_]\w*$/);
const isPrivate = ({ server: named }: { readonly server?: string | undefined }) =>
  !named?.startsWith("http:") || LOOPBACK.test(named);
const NOT_PRIVATE = "http is for servers on this machine; use https";

export const approvalsStore = z
  .strictObject({
    url: text
      .optional()
      .describe("`postgres://…`, or a file of SQLite; default approvals/approvals.db in the state directory"),
    server: server.optional().describe("a `holdfast serve` that keeps them instead"),
    token_env: tokenEnv.optional().describe("the environment variable that holds this agent's token for the server"),
  })
  .refine(({ url, server }) => url === undefined || server === undefined, "has both url and server; keep one")
  .refine(isPrivate, NOT_PRIVATE)
  .refine(({ server, token_env: token }) => server === undefined || token !== undefined, "server needs token_env")
  .describe("where approvals are kept; user and managed config only");

export const recordsSection = z
  .strictObject({
    max_bytes: z.int().min(4096).optional().describe("a record file is rotated above this; default 64 MiB"),
    server: server.optional().describe("a `holdfast serve` that gets a copy of audit and notices"),
    token_env: tokenEnv
      .optional()
      .describe("the environment variable that holds a token for the server, with the right to ingest"),
  })
  .refine(isPrivate, NOT_PRIVATE)
  .refine(({ server, token_env: token }) => (server === undefined) === (token === undefined), {
    message: "server and token_env belong together",
  })
  .describe("how records are kept, and who gets a copy; user and managed config only");

export type RecordsSection = z.infer<typeof recordsSection>;
export type ApprovalEntry = z.infer<typeof approvalEntry>;
export type ApprovalsStore = z.infer<typeof approvalsStore>;
