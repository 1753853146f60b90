/** Makes handlers of the route table: access, limits and shapes are checked before a route's own code runs. */
import type { Hono } from "hono";
import type { z } from "zod";
import { ADMIN } from "../../approvals/approval.ts";
import type { ServerCall, ServerContext, ServerEnv } from "./context.ts";
import { countedAs, mayEnter, type Principal } from "./principal.ts";
import { Problem } from "./problem.ts";
import { readJson } from "./request-body.ts";
import type { Route } from "./route.ts";
import { personOf } from "./routes/person-of.ts";

export function addRoutes(app: Hono<ServerEnv>, context: ServerContext, routes: readonly Route[]): void {
  for (const route of routes) app.on(route.method.toUpperCase(), route.path, (c) => answer(route, context, c));
}

async function answer(route: Route, context: ServerContext, c: ServerCall): Promise<Response> {
  const reply = await perform(route, context, c, {
    params: c.req.param(),
    query: Object.fromEntries(new URL(c.req.url).searchParams),
    readBody: async () => {
      const body = await readJson(c);
      await c.get("identifyAgain")();
      return body;
    },
  });
  if (reply instanceof Response) return reply;
  return reply === undefined ? c.body(null, 204) : c.json(reply as object);
}

export interface Asked {
  readonly params: Record<string, string>;
  readonly query: Readonly<Record<string, string>>;
  /** Only once it is known that they may. It takes as long as whoever sends it likes: who they are is looked up again after it. */
  readBody(): Promise<unknown>;
}

/** Whoever asks for it, and however: who may, how often, and in which shape is the route's own to say. */
export async function perform(route: Route, context: ServerContext, c: ServerCall, asked: Asked): Promise<unknown> {
  const asking = admitted(route, c.get("principal"));
  if (route.limit) await context.limit(c, route.operation, { by: limitedBy(asking), ...route.limit });
  const query = route.query ? parsed(route.query, asked.query, "query") : {};
  const body = route.body ? parsed(route.body, await asked.readBody(), "body") : undefined;
  const params = checkedParams(asked.params);
  const principal = admitted(route, c.get("principal"));
  const { organisation } = principal;
  const write = (...roles: readonly string[]) => {
    const { id } = personOf(principal);
    return context.stores.by({ organisation, id, roles: route.access.includes("member") ? roles : [ADMIN] });
  };
  return route.handle({ c, context, principal, organisation, params, query, body, write });
}

function admitted(route: Route, principal: Principal | undefined): Principal {
  if (!principal) throw new Problem(401, "HF911", "nobody is signed in");
  if (mayEnter(route.access, principal)) return principal;
  const who = principal.kind === "agent" ? "this agent's token" : "you";
  throw new Problem(403, "HF912", `${who} may not do this; it is for ${route.access.join(", ")}`);
}

const limitedBy = (principal: Principal) =>
  principal.kind === "agent" ? `token:${principal.token}` : countedAs(principal.person);

function parsed(schema: z.ZodType, value: unknown, what: string): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const place = issue?.path.length ? ` at ${issue.path.join(".")}` : "";
  throw new Problem(400, "HF914", `the ${what} does not fit${place}: ${issue?.message ?? "unknown reason"}`);
}

/** A name that no store ever gave, with a zero byte or of any length, is not carried further. */
function checkedParams(params: Record<string, string>): Record<string, string> {
  for (const value of Object.values(params))
    if (value.length > 200 || /\p{Cc}/u.test(value)) throw new Problem(404, "HF913", "there is no such thing here");
  return params;
}
