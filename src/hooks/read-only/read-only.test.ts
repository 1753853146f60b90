import { describe, expect, it } from "vitest";
import { sampleEvent } from "../../core/engine.fixture.ts";
import type { JsonObject } from "../../core/json.ts";
import { judge, toolCall } from "../hooks.fixture.ts";
import { readOnly } from "./read-only.ts";

const kindOf = (tool: ReturnType<typeof toolCall>, changes: object = {}, options: JsonObject = {}) =>
  judge(readOnly, sampleEvent("pre_tool_use", { tool, ...changes }), { ...readOnly.defaults, ...options }).opinion.kind;
const shell = (command: string, options: JsonObject = {}) => kindOf(toolCall("shell", { command }), {}, options);
const mcp = (input: JsonObject, changes: object = {}, options: JsonObject = {}) =>
  called("crm/do", input, changes, options);
const called = (name: string, input: JsonObject, changes: object = {}, options: JsonObject = {}) => {
  const [server = "", method = ""] = name.split("/");
  const tool = toolCall("mcp", { name: `mcp__${server}__${method}`, input });
  return kindOf({ ...tool, server, method } as typeof tool, changes, options);
};

describe("F-42 the read-only guard blocks writes and lets reads pass", () => {
  it.each([
    ["write", "block"],
    ["edit", "block"],
    ["read", "none"],
    ["search", "none"],
    ["fetch", "none"],
    ["delegate", "none"],
    ["other", "block"],
  ] as const)("F-42 by kind of tool: %s: %s", (kind, expected) => {
    expect(kindOf(toolCall(kind))).toBe(expected);
  });

  it.each([
    "ls -la",
    "cat a.txt | grep x | sort | uniq -c",
    "ls 2>/dev/null",
    "git status && git log --oneline -5",
    "git -C sub diff HEAD~1",
    "git branch -a",
    "git stash list",
    "find . -name '*.ts'",
    "sed -n '1,20p' a.txt",
    "sed 's/a/b/g' a.txt",
    "curl -s https://example.com",
    "curl -sS -H 'Accept: text/plain' -X GET https://example.com",
    "psql -d shop -c 'SELECT * FROM orders'",
    "sqlite3 shop.db 'SELECT 1'",
    "echo hello",
    "cd src && wc -l *.ts",
    "time ls",
    "echo $HOME",
    "cat $FILE",
  ])("F-42 a command that only reads passes: %s", (command) => {
    expect(shell(command)).toBe("none");
  });

  it.each([
    "rm a.txt",
    "touch a.txt",
    "mkdir a",
    "echo x > a.txt",
    "echo x >> a.txt",
    "cat a.txt | tee b.txt",
    "sed -i 's/a/b/' a.txt",
    "sed 's/a/b/w out.txt' a.txt",
    "sed 's/a/b/w out/g' a.txt",
    "sed -n '1,20p;w out' a.txt",
    "sort -o a.txt a.txt",
    "find . -exec touch {} +",
    "find . -fprint out",
    "git commit -m x",
    "git branch new",
    "git branch -D old",
    "git diff --output=x",
    "git -c core.pager=./evil log",
    "git stash",
    "git config user.name x",
    "npm install",
    "npm test",
    "./script.sh",
    "./ls",
    "PATH=.:$PATH ls",
    'python3 -c \'open("a","w")\'',
    "sh -c 'touch a'",
    "curl -X POST https://example.com",
    "curl -d a=b https://example.com",
    "curl -o file https://example.com",
    "psql -c 'DELETE FROM orders WHERE id = 1'",
    "psql -c 'SELECT 1' -f changes.sql",
    "psql -c 'SELECT 1; UPDATE a SET b = 1 WHERE c = 2'",
    "sqlite3 shop.db 'SELECT 1' '.shell touch a'",
    "echo 'DROP TABLE a' | psql",
    "ls $(touch a)",
    "$(cat command)",
    "find $WHERE",
    "awk '{print > \"out\"}' a",
    "ssh host ls",
    "docker run x ls",
    "date -s 2020-01-01",
  ])("F-42 a command that writes, or may, is blocked: %s", (command) => {
    expect(shell(command)).toBe("block");
  });

  it("F-42 by SQL verb", () => {
    const query = (input: JsonObject, changes: object = {}) => called("crm/run_query", input, changes);
    expect(query({ sql: "select * from a" })).toBe("none");
    expect(query({ query: "WITH x AS (SELECT 1) SELECT * FROM x" })).toBe("none");
    expect(query({ sql: "SELECT 'DELETE FROM a' FROM b FOR UPDATE" })).toBe("none");
    expect(query({ sql: "EXPLAIN DELETE FROM a" })).toBe("none");
    for (const sql of [
      "INSERT INTO a VALUES (1)",
      "select 1; drop table a",
      "WITH x AS (DELETE FROM a RETURNING *) SELECT * FROM x",
      "SELECT * INTO b FROM a",
      "EXPLAIN ANALYZE DELETE FROM a",
      "/* read */ UPDATE a SET b = 1",
      "CALL wipe()",
    ])
      expect(query({ sql }, { metadata: { readOnlyHint: true } }), sql).toBe("block");
    expect(query({ query: "customers in Berlin" })).toBe("block");
    expect(query({ sql: "select 1", script: "drop table x" })).toBe("block");
    expect(query({ query: ["select 1", { text: "drop table x" }] })).toBe("block");
  });

  it("F-42 by HTTP method", () => {
    const request = (input: JsonObject) => called("crm/http_request", input);
    expect(request({ method: "GET", url: "/customers" })).toBe("none");
    expect(request({ method: "get", path: "/customers" })).toBe("none");
    for (const method of ["POST", "put", "PATCH", "DELETE"])
      expect(request({ method, url: "/customers" })).toBe("block");
    expect(request({ method: "GET" })).toBe("block");
    expect(request({ method: "GET", http_method: "DELETE", url: "/customers" })).toBe("block");
    const headers = { "X-HTTP-Method-Override": "DELETE" };
    expect(request({ method: "GET", headers, url: "/customers" })).toBe("block");
    expect(kindOf(toolCall("fetch", { input: { url: "https://a.example", method: "POST" } }))).toBe("block");
    expect(kindOf(toolCall("fetch", { input: { url: "https://a.example", init: { method: "POST" } } }))).toBe("block");
  });

  it.each([
    ["execute_sql", "none"],
    ["postgres_query", "none"],
    ["queryDatabase", "none"],
    ["delete_customer", "block"],
    ["get_customer", "block"],
    ["run_job", "block"],
    ["do", "block"],
  ])(
    "F-42 an input proves that a tool reads only where the tool's name says that it takes SQL: %s: %s",
    (name, said) => {
      expect(called(`crm/${name}`, { query: "select 1" })).toBe(said);
    },
  );

  it("F-42 or HTTP, or where the server's name says so and the tool's nothing else", () => {
    expect(called("postgres/execute", { sql: "select 1" })).toBe("none");
    expect(called("postgres/delete_backup", { sql: "select 1" })).toBe("block");
    expect(called("api/delete_user", { method: "GET", url: "/x" })).toBe("block");
    expect(kindOf(toolCall("other", { name: "crm__sql_query", input: { sql: "select 1" } }))).toBe("none");
    expect(kindOf(toolCall("other", { name: "sql__wipe", input: { sql: "select 1" } }))).toBe("block");
  });

  it("F-42 by tool annotation: what says that a tool writes is believed before what says that it reads", () => {
    expect(mcp({}, { metadata: { readOnlyHint: true } })).toBe("none");
    expect(mcp({}, { metadata: { annotations: { readOnlyHint: true } } })).toBe("none");
    expect(mcp({ sql: "SELECT 1" }, { metadata: { readOnlyHint: false } })).toBe("block");
    expect(mcp({ sql: "SELECT 1" }, { metadata: { destructiveHint: true, readOnlyHint: true } })).toBe("block");
    expect(mcp({})).toBe("block");
  });

  it("F-42 only for the organisations listed, and not for tools and commands that a person vouched for", () => {
    const organisations = ["acme"];
    expect(kindOf(toolCall("write"), { organisation: "acme" }, { organisations })).toBe("block");
    expect(kindOf(toolCall("write"), { organisation: "other" }, { organisations })).toBe("none");
    expect(kindOf(toolCall("write"), {}, { organisations })).toBe("none");
    expect(mcp({}, {}, { reads: ["mcp__crm__*"] })).toBe("none");
    expect(shell("npm test", { commands: ["npm test"] })).toBe("none");
    expect(shell("npm test && rm -rf src", { commands: ["npm test"] })).toBe("block");
  });

  it("F-42 the reason says what to do instead", () => {
    const { opinion } = judge(readOnly, sampleEvent("pre_tool_use", { tool: toolCall("write") }));
    expect(opinion).toMatchObject({
      rule: "read-only",
      reason: expect.stringMatching(/write writes files.*\nDo instead/),
    });
  });
});
