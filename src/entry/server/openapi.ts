/** The OpenAPI document, made from the route table. */
import { z } from "zod";
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import type { Route } from "./route.ts";
import { ROUTES } from "./routes/table.ts";
import { problem } from "./schemas.ts";

const EVERYWHERE = [400, 401, 403, 429, 500, 503] as const;

const STATUS_WORDS: Readonly<Record<number, string>> = {
  400: "The request cannot be used",
  401: "Nobody is signed in",
  403: "It is not theirs to do",
  404: "There is no such thing in the organisation",
  409: "It has been settled already, or something stands in the way",
  413: "The body is too large",
  415: "The body is not JSON",
  429: "Too often; see Retry-After",
  500: "The server failed",
  502: "The channel's platform refused",
  503: "The store cannot be reached",
};

export function openApiDocument(version: string): JsonObject {
  const components: Record<string, Json> = {};
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of ROUTES) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method]: operationOf(route, components) };
  }
  paths["/api/health"] = { get: health };
  const content = { "application/json": { schema: schemaOf(problem, "output", components) } };
  const responses = Object.fromEntries(
    Object.entries(STATUS_WORDS).map(([status, description]) => [status, { description, content }]),
  );
  const schemas = Object.fromEntries(Object.entries(components).sort(([left], [right]) => (left < right ? -1 : 1)));
  return {
    openapi: "3.1.0",
    info: {
      title: "Holdfast",
      version,
      description:
        "Approvals and audit of an organisation. Generated from the source by `npm run generate`; do not edit.",
    },
    security: [{ token: [] }, { session: [], csrf: [] }],
    paths,
    components: {
      schemas,
      responses,
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "An API token, from POST /api/tokens" },
        session: { type: "apiKey", in: "cookie", name: "holdfast", description: "`__Host-holdfast` over https" },
        csrf: { type: "apiKey", in: "header", name: "x-csrf-token", description: "From GET /api/me; to change things" },
      },
    },
  };
}

function operationOf(route: Route, components: Record<string, Json>): JsonObject {
  const { operation, summary, access, query, body, answer, refusals, path } = route;
  const params = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name: name ?? "",
    in: "path",
    required: true,
    schema: { type: "string", maxLength: 200 },
  }));
  const failures = [...new Set([...EVERYWHERE, ...refusals, ...(body ? [413, 415] : [])])].sort();
  const isOpen = access.includes("public");
  return {
    operationId: operation,
    summary,
    description: isOpen ? "For everybody." : `For: ${access.join(", ")}.`,
    ...(isOpen ? { security: [] } : {}),
    parameters: [...params, ...(query ? queryParameters(query, components) : [])],
    ...(body
      ? {
          requestBody: {
            required: true,
            content: { "application/json": { schema: schemaOf(body, "input", components) } },
          },
        }
      : {}),
    responses: {
      ...successOf(answer, components),
      ...Object.fromEntries(failures.map((status) => [String(status), { $ref: `#/components/responses/${status}` }])),
    },
  };
}

function successOf(answer: Route["answer"], components: Record<string, Json>): JsonObject {
  if (answer === null) return { "204": { description: "Done" } };
  if (answer instanceof z.ZodType)
    return {
      "200": {
        description: "Done",
        content: { "application/json": { schema: schemaOf(answer, "output", components) } },
      },
    };
  const content = Object.fromEntries(answer.map((type) => [type, { schema: { type: "string" } }]));
  return { "200": { description: "A stream", content } };
}

function queryParameters(query: z.ZodObject, components: Record<string, Json>): JsonObject[] {
  const schema = schemaOf(query, "input", components);
  const required = Array.isArray(schema.required) ? schema.required : [];
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  return Object.entries(properties).map(([name, shape]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema: shape,
  }));
}

/** Named schemas go among the components and are referred to. */
function schemaOf(schema: z.ZodType, io: "input" | "output", components: Record<string, Json>): JsonObject {
  const holder = z.toJSONSchema(z.strictObject({ it: schema }), { io, unrepresentable: "any" }) as JsonObject;
  const defined = isJsonObject(holder.$defs) ? holder.$defs : {};
  for (const [name, definition] of Object.entries(defined)) components[name] = referring(definition);
  const properties = holder.properties as JsonObject;
  return referring(properties.it ?? {}) as JsonObject;
}

function referring(value: Json): Json {
  if (Array.isArray(value)) return value.map(referring);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) => !(key === "id" && typeof inner === "string"))
      .map(([key, inner]) => [
        key,
        key === "$ref" && typeof inner === "string"
          ? inner.replace("#/$defs/", "#/components/schemas/")
          : referring(inner),
      ]),
  );
}

const health: JsonObject = {
  operationId: "getHealth",
  summary: "Whether the server and its store are up",
  description: "For everybody.",
  security: [],
  responses: Object.fromEntries(
    [
      ["200", "Both are up"],
      ["503", "The store cannot be reached"],
    ].map(([status, description]) => [
      status,
      {
        description,
        content: {
          "application/json": {
            schema: {
              type: "object",
              properties: {
                ok: { type: "boolean" },
                store: { type: "string", enum: ["up", "down"] },
                version: { type: "string" },
              },
              required: ["ok", "store", "version"],
            },
          },
        },
      },
    ]),
  ) as JsonObject,
};
