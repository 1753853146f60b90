/** API tokens. Only a person in front of a browser makes and revokes them: a token that leaked cannot make another. */
import { z } from "zod";
import { ADMIN, type Person } from "../../../approvals/approval.ts";
import type { Stores } from "../../../approvals/store.ts";
import { AGENT_SCOPES, type Principal } from "../principal.ts";
import { forbidden, Problem, unknown } from "../problem.ts";
import { route } from "../route.ts";
import { isMadeBy, shownToken, shownTokens } from "../token-rest.ts";
import { createToken, revokeToken, type StoredToken, tokensOf } from "../tokens.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

const token = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    kind: z.enum(["agent", "person"]),
    agent: z.string().nullable(),
    person: z.string().nullable().describe("who it speaks for, or acts for; null: nobody"),
    namesInitiator: z.boolean().describe("whether it is trusted to say for whom each call is"),
    scopes: z.array(z.enum(AGENT_SCOPES)),
    createdBy: z.string(),
    createdAt: z.string(),
    expiresAt: z.string(),
    rests: z
      .strictObject({ code: z.enum(["person-left", "maker-left", "maker-no-admin"]), why: z.string(), fix: z.string() })
      .nullable()
      .describe("why it is refused though it was neither revoked nor has expired, and what to do; null: it is good"),
  })
  .meta({ id: "Token" });

const draft = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("agent"),
    name: z.string().min(1).max(200),
    agent: z.string().min(1).max(200).nullable().default(null).describe("the only agent it is for; null: any"),
    scopes: z
      .array(z.enum(AGENT_SCOPES))
      .min(1)
      .default([...AGENT_SCOPES]),
    onBehalfOf: z
      .string()
      .max(200)
      .nullable()
      .default(null)
      .describe("id of a person; null: an admin's acts for nobody"),
    namesInitiator: z
      .boolean()
      .default(false)
      .describe("for admins: whatever has the token is trusted to say for whom each call is, and sees all of them"),
    days: z.number().int().min(1).max(366).default(90),
  }),
  z.strictObject({
    kind: z.literal("person"),
    name: z.string().min(1).max(200),
    days: z.number().int().min(1).max(366).default(90),
  }),
]);

export const tokenRoutes = [
  route({
    method: "get",
    path: "/api/tokens",
    operation: "listTokens",
    summary:
      "Tokens that were not revoked and have not expired, without their secrets: one's own, and for admins all of the organisation. Those of machines that rest say why",
    access: ["member"],
    answer: z.strictObject({ tokens: z.array(token) }),
    handle: async ({ context, principal, organisation }) => {
      const person = atBrowser(principal);
      const known = await tokensOf(context.stores, organisation);
      const areManaged = await Promise.all(known.map((one) => isManagedBy(context.stores, one, person)));
      const managed = known.filter((_, at) => areManaged[at]);
      return { tokens: await shownTokens(context.stores, managed) };
    },
  }),
  route({
    method: "post",
    path: "/api/tokens",
    operation: "createToken",
    summary: "Makes a token. Its secret is in this answer and nowhere else",
    access: ["member"],
    body: draft,
    answer: z.strictObject({ token: z.string().describe("shown once"), stored: token }),
    refusals: [404],
    limit: { times: 30, perMs: 60_000 },
    handle: async ({ context, principal, organisation, body, write }) => {
      const person = atBrowser(principal);
      const lastsMs = body.days * DAY_MS;
      const common = { organisation, name: body.name, createdBy: person.id, lastsMs };
      if (body.kind === "person") {
        const own = { ...common, kind: "person", agent: null, person: person.id, scopes: [] } as const;
        return answerOf(await createToken(context.stores, own, write()));
      }
      const isAdmin = person.roles.includes(ADMIN);
      if (!isAdmin && body.onBehalfOf !== null && body.onBehalfOf !== person.id)
        throw forbidden("only an admin can make a token that acts for somebody else");
      if (!isAdmin && body.namesInitiator)
        throw forbidden("only an admin can make a token that names whom it acts for");
      if (body.namesInitiator && body.onBehalfOf !== null)
        throw new Problem(400, "HF914", "a token acts for one person or names whom it acts for, not both");
      // Without this a member's agent could name any initiator, and so have its own person approve.
      const onBehalfOf = body.onBehalfOf ?? (isAdmin ? null : person.id);
      if (onBehalfOf !== null && !(await context.stores.person(organisation, onBehalfOf)))
        throw unknown(`person ${onBehalfOf}`);
      const { agent, scopes, namesInitiator } = body;
      const draft = { ...common, kind: "agent", agent, person: onBehalfOf, namesInitiator, scopes } as const;
      return answerOf(await createToken(context.stores, draft, isAdmin ? write(ADMIN) : write()));
    },
  }),
  route({
    method: "delete",
    path: "/api/tokens/:id",
    operation: "revokeToken",
    summary: "The token is worth nothing from now on",
    access: ["member"],
    answer: null,
    refusals: [404],
    handle: async ({ context, principal, organisation, params, write }) => {
      const person = atBrowser(principal);
      const known = (await tokensOf(context.stores, organisation)).find(({ id }) => id === params.id);
      if (!known || !(await isManagedBy(context.stores, known, person))) throw unknown(`token ${params.id}`);
      const writes = (await isMadeBy(context.stores, known, person.id)) ? write() : write(ADMIN);
      await revokeToken(context.stores, organisation, params.id, writes);
    },
  }),
];

function atBrowser(principal: Principal): Person {
  if (principal.kind === "agent" || principal.via !== "web")
    throw forbidden("tokens are managed by people who signed in with a browser, not by tokens");
  return principal.person;
}

const isManagedBy = async (stores: Stores, token: StoredToken, { id, roles }: Person) =>
  roles.includes(ADMIN) || isMadeBy(stores, token, id);

const answerOf = (made: { token: string; stored: StoredToken }) => ({
  token: made.token,
  stored: shownToken(made.stored, null),
});
