import { describe, expect, it } from "vitest";
import { type TestServer, testServer } from "./server.fixture.ts";

const START = Date.parse("2026-03-01T10:00:00Z");

const rowOf = (sequence: number, changes: Record<string, unknown> = {}) => ({
  sequence,
  at: new Date(START + sequence * 1_000).toISOString(),
  session: "s-1",
  event: "pre_tool_use",
  decision: sequence % 2 ? "allow" : "block",
  tool: "Bash",
  ms: 1.5,
  record: JSON.stringify({ id: `e-${sequence}`, reasons: ['said "no", twice'] }),
  ...changes,
});

async function filled(count: number): Promise<TestServer> {
  const server = await testServer();
  const agent = await server.agent();
  for (let from = 1; from <= count; from += 500) {
    const rows = Array.from({ length: Math.min(500, count - from + 1) }, (_, index) => rowOf(from + index));
    expect((await agent("POST", "/api/audit", { source: "laptop", rows })).status).toBe(200);
  }
  return server;
}

describe("records of decisions", () => {
  it("X-10 are taken once, however often they are handed in, and say how far they have come", async () => {
    const server = await testServer();
    const agent = await server.agent();
    const batch = { source: "laptop", rows: [rowOf(1), rowOf(2)] };
    expect((await agent("POST", "/api/audit", batch)).json).toEqual({ added: 2, lastSequence: 2 });
    const more = { source: "laptop", rows: [rowOf(2), rowOf(3)] };
    expect((await agent("POST", "/api/audit", more)).json).toEqual({ added: 1, lastSequence: 3 });
    expect((await agent("GET", "/api/audit/sources/laptop")).json).toEqual({ lastSequence: 3 });
  });

  it("are refused whole where one of them is none", async () => {
    const server = await testServer();
    const agent = await server.agent();
    for (const bad of ["[]", "{", '{\n"a":1}', "null"]) {
      const reply = await agent("POST", "/api/audit", { source: "x", rows: [rowOf(1), rowOf(2, { record: bad })] });
      expect([bad, reply.status]).toEqual([bad, 400]);
    }
    expect((await agent("GET", "/api/audit/sources/x")).json).toEqual({ lastSequence: 0 });
    expect((await (await server.browser("ada"))("POST", "/api/audit", { source: "x", rows: [rowOf(1)] })).status).toBe(
      403,
    );
  });

  it("are read newest first, filtered, page by page, with the record as it was", async () => {
    const server = await filled(5);
    const bob = await server.browser("bob");
    const first = await bob("GET", "/api/audit?decision=allow&limit=2");
    expect(first.json.rows.map(({ sequence }: { sequence: number }) => sequence)).toEqual([5, 3]);
    expect(first.json.rows[0]).toMatchObject({ source: "laptop", record: { id: "e-5" } });
    const second = await bob("GET", `/api/audit?decision=allow&limit=2&cursor=${encodeURIComponent(first.json.next)}`);
    expect(second.json.rows.map(({ sequence }: { sequence: number }) => sequence)).toEqual([1]);
    expect((await bob("GET", "/api/audit?cursor=forged")).status).toBe(400);
    expect((await bob("GET", "/api/audit?from=yesterday")).status).toBe(400);
  });

  it("are counted over time", async () => {
    const server = await filled(4);
    const bob = await server.browser("bob");
    const query = `from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z&bucketMs=3600000`;
    const { buckets } = (await bob("GET", `/api/audit/buckets?${query}`)).json;
    expect(buckets).toMatchObject([{ startsAt: "2026-03-01T10:00:00.000Z", decisions: { allow: 2, block: 2 } }]);
    expect((await bob("GET", "/api/audit/buckets?from=1970-01-01T00:00:00Z&bucketMs=60000")).status).toBe(400);
  });

  it("notices are handed in like decisions, and listed by themselves", async () => {
    const server = await filled(3);
    const agent = await server.agent();
    const record = JSON.stringify({ message: "a hook failed", is_error: true });
    const rows = [rowOf(1, { event: "load", decision: "notice", tool: null, record })];
    await agent("POST", "/api/audit", { source: "laptop/notices", rows });
    const { rows: notices } = (await (await server.browser("mia"))("GET", "/api/notices")).json;
    expect(notices).toMatchObject([{ source: "laptop/notices", record: { message: "a hook failed" } }]);
  });
});

describe("the export", () => {
  const COUNT = 1_203;

  it("as JSON lines has every record, in pages or not", async () => {
    const server = await filled(COUNT);
    const reply = await (await server.browser("bob"))("GET", "/api/audit/export");
    expect(reply.headers.get("content-type")).toBe("application/x-ndjson");
    const lines = reply.text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(COUNT);
    expect(new Set(lines.map(({ sequence }) => sequence)).size).toBe(COUNT);
    expect(lines[0]).toMatchObject({ sequence: COUNT, record: { id: `e-${COUNT}` } });
  });

  it("as CSV is quoted, and nothing in it is a formula", async () => {
    const server = await testServer();
    const agent = await server.agent();
    const rows = [rowOf(1, { session: '=HYPERLINK("http://evil.example")', tool: "+cmd" })];
    await agent("POST", "/api/audit", { source: "laptop", rows });
    const { text } = await (await server.browser("bob"))("GET", "/api/audit/export?format=csv");
    const [head, line, rest] = text.split("\r\n");
    expect(head).toBe("at,source,sequence,session,event,decision,tool,ms,record");
    expect(line).toContain(`,"'=HYPERLINK(""http://evil.example"")",`);
    expect(line).toContain(",'+cmd,");
    expect(rest).toBe("");
  });

  it("as OpenTelemetry logs is one JSON document of its log records", async () => {
    const server = await filled(COUNT);
    const { json } = await (await server.browser("bob"))("GET", "/api/audit/export?format=otlp&decision=block");
    const [{ resource, scopeLogs }] = json.resourceLogs;
    expect(resource.attributes).toContainEqual({ key: "service.name", value: { stringValue: "holdfast" } });
    const { logRecords } = scopeLogs[0];
    expect(logRecords).toHaveLength(Math.floor(COUNT / 2));
    expect(logRecords.at(-1)).toEqual({
      timeUnixNano: `${START + 2_000}000000`,
      observedTimeUnixNano: `${START + 2_000}000000`,
      severityNumber: 13,
      severityText: "WARN",
      body: { stringValue: rowOf(2).record },
      attributes: expect.arrayContaining([
        { key: "session.id", value: { stringValue: "s-1" } },
        { key: "holdfast.decision", value: { stringValue: "block" } },
        { key: "holdfast.sequence", value: { intValue: "2" } },
        { key: "holdfast.duration_ms", value: { doubleValue: 1.5 } },
      ]),
    });
  });

  it("of nothing is whole too", async () => {
    const server = await testServer();
    const bob = await server.browser("bob");
    expect((await bob("GET", "/api/audit/export")).text).toBe("");
    expect((await bob("GET", "/api/audit/export?format=otlp")).json.resourceLogs[0].scopeLogs[0].logRecords).toEqual(
      [],
    );
  });

  it("that the store breaks off does not look like a whole one", async () => {
    const server = await filled(COUNT);
    const bob = await server.browser("bob");
    const audit = server.stores.audit;
    let pages = 0;
    server.stores.audit = async (query) => {
      if (++pages > 1) throw new Error("the database is gone");
      return audit(query);
    };
    await expect(bob("GET", "/api/audit/export")).rejects.toThrow();
  });
});
