/** One row per thing the API does. Routing, checks, the OpenAPI document and the tests of access are made from the rows. */
import type { z } from "zod";
import type { DirectoryWrites } from "../../approvals/store.ts";
import type { RateLimit, ServerCall, ServerContext } from "./context.ts";
import type { Access, Principal } from "./principal.ts";
import type { ProblemStatus } from "./problem.ts";

export type Method = "get" | "post" | "put" | "patch" | "delete";
export type ApiPath = `/api/${string}`;

export interface Route {
  readonly method: Method;
  readonly path: ApiPath;
  /** The name programs call it by: operationId of the OpenAPI document. */
  readonly operation: string;
  readonly summary: string;
  readonly access: readonly Access[];
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly answer: Answer;
  /** Besides the ones every route has: 400, 401, 403, 429, 500, 503. */
  readonly refusals: readonly ProblemStatus[];
  readonly limit?: RateLimit;
  handle(call: RouteCall<string, unknown, unknown>): Promise<unknown>;
}

/** A schema is a JSON body; a list of media types is a stream; nothing is 204. */
export type Answer = z.ZodType | readonly string[] | null;

export interface RouteCall<Path extends string, Body, Query> {
  readonly c: ServerCall;
  readonly context: ServerContext;
  readonly principal: Principal;
  readonly organisation: string;
  readonly params: Readonly<ParamsOf<Path>>;
  readonly body: Body;
  readonly query: Query;
  /**
   * The store's writes on the word of who asks: stored only while they are an admin, where the route is for admins; else a
   * member, with one of the roles if any are named.
   */
  write(...roles: readonly string[]): DirectoryWrites;
}

type ParamsOf<Path extends string> = string extends Path
  ? Record<string, string>
  : Path extends `${string}:${infer Name}/${infer Rest}`
    ? { [Key in Name | keyof ParamsOf<`/${Rest}`>]: string }
    : Path extends `${string}:${infer Name}`
      ? { [Key in Name]: string }
      : Record<never, string>;

interface RouteDraft<Path extends ApiPath, Body extends z.ZodType, Query extends z.ZodObject, Reply extends Answer>
  extends Omit<Route, "path" | "query" | "body" | "answer" | "refusals" | "handle"> {
  readonly path: Path;
  readonly query?: Query;
  readonly body?: Body;
  readonly answer: Reply;
  readonly refusals?: readonly ProblemStatus[];
  handle(call: RouteCall<Path, z.output<Body>, z.output<Query>>): PromisedReply<Reply>;
}

type PromisedReply<Reply extends Answer> = Reply extends z.ZodType
  ? Promise<z.input<Reply>>
  : Reply extends null
    ? Promise<void>
    : Promise<Response>;

export function route<
  Path extends ApiPath,
  Reply extends Answer,
  Body extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodObject = z.ZodObject<Record<never, never>>,
>(draft: RouteDraft<Path, Body, Query, Reply>): Route {
  return {
    ...draft,
    refusals: draft.refusals ?? [],
    handle: (call) => draft.handle(call as RouteCall<Path, z.output<Body>, z.output<Query>>),
  };
}
