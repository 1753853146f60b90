/** The one who asks, and what of their organisation its admins can set. */
import { z } from "zod";
import { readCookie, removeCookie, SESSION_COOKIE } from "../cookie.ts";
import { route } from "../route.ts";
import { person } from "../schemas.ts";
import { endSession } from "../sessions.ts";

const settings = z.strictObject({
  isReadOnly: z.boolean().describe("no tool that writes may run, in any agent of the organisation"),
});

export const organisationRoutes = [
  route({
    method: "get",
    path: "/api/me",
    operation: "getMe",
    summary: "Who the server takes the one who asks for",
    access: ["member", "agent:request", "agent:wait", "agent:use", "agent:ingest"],
    answer: z.strictObject({
      kind: z.enum(["person", "agent"]),
      organisation: z.string(),
      person: person.nullable(),
      agent: z.string().nullable(),
      scopes: z.array(z.string()),
      csrfToken: z.string().nullable().describe("for the header x-csrf-token, where a cookie signs in"),
    }),
    handle: async ({ c, principal, organisation }) => ({
      kind: principal.kind,
      organisation,
      person: principal.kind === "person" ? { ...principal.person, roles: [...principal.person.roles] } : null,
      agent: principal.kind === "agent" ? principal.agent : null,
      scopes: principal.kind === "agent" ? [...principal.scopes] : [],
      csrfToken: c.get("csrf") ?? null,
    }),
  }),
  route({
    method: "post",
    path: "/api/sign-out",
    operation: "signOut",
    summary: "Ends the sign-in of this browser",
    access: ["member"],
    answer: null,
    handle: async ({ c, context }) => {
      const secret = readCookie(c, context.publicUrl, SESSION_COOKIE);
      if (secret !== undefined) await endSession(context.stores, secret);
      removeCookie(c, context.publicUrl, SESSION_COOKIE);
    },
  }),
  route({
    method: "get",
    path: "/api/organisation",
    operation: "getOrganisation",
    summary: "The settings of the organisation",
    access: ["member", "agent:request"],
    answer: z.strictObject({ id: z.string(), settings }),
    handle: async ({ context, organisation }) => ({
      id: organisation,
      settings: { ...(await context.stores.settings(organisation)) },
    }),
  }),
  route({
    method: "put",
    path: "/api/organisation/settings",
    operation: "putSettings",
    summary: "Changes the settings of the organisation",
    access: ["admin"],
    body: settings,
    answer: settings,
    handle: async ({ context, principal, organisation, body, write }) => {
      await write().putSettings(organisation, body);
      const who = principal.kind === "person" ? principal.person.id : "an agent";
      context.log(`${organisation}: ${who} made the organisation ${body.isReadOnly ? "read-only" : "writable"}`);
      return body;
    },
  }),
];
