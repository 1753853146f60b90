import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { openApiDocument } from "./openapi.ts";
import { ROUTES } from "./routes/table.ts";
import { testServer } from "./server.fixture.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects.
const document = openApiDocument("0.0.0") as any;

describe("the OpenAPI document", () => {
  it("has every route of the table, each under a name of its own", () => {
    const operations = Object.values<Record<string, { operationId: string }>>(document.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    expect(new Set(operations).size).toBe(operations.length);
    expect(operations.sort()).toEqual([...ROUTES.map(({ operation }) => operation), "getHealth"].sort());
  });

  it("refers only to what it holds, and all its schemas are valid", () => {
    for (const [, path] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g))
      expect(
        path?.split("/").reduce((place, key) => place?.[key], document),
        path,
      ).toBeDefined();
    const ajv = new Ajv2020({ strict: false, formats: { "date-time": true } });
    ajv.addSchema({ ...document, $id: "doc" });
    for (const name of Object.keys(document.components.schemas))
      expect(() => ajv.getSchema(`doc#/components/schemas/${name}`), name).not.toThrow();
  });

  it("describes a true approval, and not one that lacks something", async () => {
    const server = await testServer();
    const { id } = await server.asked();
    const ajv = new Ajv2020({ strict: false });
    ajv.addSchema({ ...document, $id: "doc" });
    const isApproval = ajv.getSchema("doc#/components/schemas/Approval");
    const { approval } = (await (await server.browser("bob"))("GET", `/api/approvals/${id}`)).json;
    expect(isApproval?.(approval), JSON.stringify(isApproval?.errors)).toBe(true);
    const { digest: _, ...lacking } = approval;
    expect(isApproval?.(lacking)).toBe(false);
  });

  it("is served without a sign-in, and says for whom each route is", async () => {
    const server = await testServer();
    const served = await server.anybody("GET", "/api/openapi.json");
    expect(served.json.paths).toEqual(document.paths);
    const { description } = document.paths["/api/approvals/{id}/respond"].post;
    expect(description).toBe("For: member.");
  });

  it("no route is open to agents that decides anything", () => {
    const open = ROUTES.filter(({ access }) => access.some((who) => who.startsWith("agent:")));
    expect(open.map(({ operation }) => operation).sort()).toEqual([
      "getApproval",
      "getAuditSource",
      "getMe",
      "getOrganisation",
      "ingestAudit",
      "listApprovals",
      "requestApproval",
      "tellOfRun",
      "useApproval",
      "waitForApproval",
      "watchApprovals",
      "withdrawApproval",
    ]);
    for (const { access } of ROUTES) expect(access).not.toContain("public");
  });
});
