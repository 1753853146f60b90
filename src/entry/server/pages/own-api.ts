/** Forms that do what the API does: with its rights, limits and checks, and through its very code. */
import type { ServerCall, ServerContext } from "../context.ts";
import { perform } from "../dispatch.ts";
import { ROUTES } from "../routes/table.ts";

export interface Given {
  readonly params?: Record<string, string>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** What the route answers; its shape is the one the table has for it. */
export async function ownApi<Reply>(
  context: ServerContext,
  c: ServerCall,
  operation: string,
  { params = {}, query = {}, body }: Given = {},
): Promise<Reply> {
  const route = ROUTES.find((known) => known.operation === operation);
  if (!route) throw new Error(`the API has no ${operation}`);
  return (await perform(route, context, c, { params, query, readBody: async () => body })) as Reply;
}
