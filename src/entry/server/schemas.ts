/** The shapes that the API takes and gives. That they are what we mean inside is checked by the compiler. */
import { z } from "zod";
import {
  type Approval,
  type AskedCall,
  HISTORY_ACTIONS,
  type HistoryEntry,
  type Person,
  type Policy,
  STATUSES,
} from "../../approvals/approval.ts";
import type { JsonObject } from "../../core/json.ts";
import { MAX_DEPTH } from "../../core/redact.ts";

/** It came out of JSON, so all that is in it is JSON. */
const jsonObject = z.record(z.string(), z.unknown()) as unknown as z.ZodType<JsonObject, JsonObject>;

/** A gate sends nothing deeper, and no store has to read it. */
const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));

const DAY_MS = 24 * 60 * 60 * 1000;
const name = z.string().min(1).max(200);
const names = z.array(name).max(100);
const durationMs = z
  .number()
  .int()
  .positive()
  .max(366 * DAY_MS);

/** What tells askers apart: nothing in it that a store or a reader could take for something else. */
const plainName = z
  .string()
  .max(200)
  .regex(/^\P{Cc}*$/u, "no control characters");

export const identifier = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._@+-]{0,127}$/, "letters, digits and . _ @ + - only, 128 at most")
  .describe("letters, digits and . _ @ + -");

export const reason = z.string().max(2000).default("");

export const askedCall: z.ZodType<AskedCall> = z
  .strictObject({
    eventId: name,
    host: name,
    session: z.string().max(500),
    turn: z.string().max(500),
    agent: plainName.nullable(),
    initiator: plainName.nullable().describe("on whose behalf the agent acts, as its token says or is trusted to say"),
    cwd: z.string().max(4096),
    tool: name,
    kind: name,
    input: jsonObject
      .refine((input) => !isDeeper(input, MAX_DEPTH), `nested deeper than ${MAX_DEPTH}`)
      .describe("the arguments after every rewrite, secrets marked as redacted"),
    effects: z.array(z.string().max(4000)).max(500).describe("what the call would do, in words"),
    deeds: z
      .array(
        z.strictObject({
          kind: name,
          of: z.array(z.string().max(4000)).max(10),
          through: z.array(z.string().max(4000)).max(100),
        }),
      )
      .max(500)
      .optional()
      .describe("the same as data: where it is given, the server makes the words of it"),
  })
  .meta({ id: "AskedCall" });

export const policy: z.ZodType<Policy> = z
  .strictObject({
    approvers: z.strictObject({
      people: names,
      roles: names,
      count: z.number().int().min(1).max(100).describe("how many yes are needed; one no is always enough"),
      notInitiator: z.boolean(),
    }),
    expiresAfterMs: durationMs,
    remindEveryMs: z
      .number()
      .int()
      .min(1000)
      .max(366 * DAY_MS)
      .nullable(),
    escalation: z
      .strictObject({ afterMs: durationMs, people: names, roles: names, channel: z.string().max(200).nullable() })
      .nullable(),
  })
  .meta({ id: "Policy" });

export const draft = z
  .strictObject({
    digest: z.string().min(8).max(200).describe("of the final call: a yes is good for this call only"),
    call: askedCall,
    rule: name,
    reason: z.string().max(4000),
    policy,
    channel: z.string().max(200).nullable().describe("id, name or type:name of the channel; null: whichever there is"),
  })
  .describe("a question to people about one call");

const vote = z.strictObject({
  by: z.string(),
  kind: z.enum(["approve", "deny"]),
  reason: z.string(),
  at: z.string(),
  via: z.string(),
});

export const approval: z.ZodType<Approval> = z
  .strictObject({
    id: z.string(),
    organisation: z.string(),
    status: z.enum(STATUSES),
    version: z.number().int(),
    digest: z.string(),
    call: askedCall,
    rule: z.string(),
    reason: z.string(),
    policy,
    channel: z.string().nullable(),
    delivery: z.strictObject({ state: z.enum(["none", "waiting", "delivered", "failed"]), detail: z.string() }),
    votes: z.array(vote),
    delegations: z.array(z.strictObject({ from: z.string(), to: z.string(), at: z.string() })),
    reminders: z.number().int(),
    isEscalated: z.boolean(),
    requestedAt: z.string(),
    expiresAt: z.string(),
    decidedAt: z.string().nullable(),
    usedBy: z.string().nullable(),
  })
  .meta({ id: "Approval" });

export const historyEntry: z.ZodType<HistoryEntry> = z
  .strictObject({
    approval: z.string(),
    organisation: z.string(),
    version: z.number().int(),
    at: z.string(),
    action: z.enum(HISTORY_ACTIONS),
    by: z.string().nullable(),
    via: z.string().nullable(),
    detail: jsonObject,
  })
  .meta({ id: "HistoryEntry" });

export const person: z.ZodType<Person> = z
  .strictObject({ id: z.string(), organisation: z.string(), name: z.string(), roles: z.array(z.string()) })
  .meta({ id: "Person" });

export const problem = z
  .object({
    error: z.strictObject({ code: z.string(), message: z.string(), fix: z.string() }),
    refusal: z
      .strictObject({ code: z.string(), why: z.string() })
      .optional()
      .describe("why an approval did not change, for programs"),
    approval: approval.optional().describe("how the approval stands"),
  })
  .meta({ id: "Problem" });

/** Of lists: how many at most, and where the page before ended. */
export const paging = {
  cursor: z.string().max(1000).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
};

export const next = z.string().nullable().describe("cursor of the next page; null: this is the last");
