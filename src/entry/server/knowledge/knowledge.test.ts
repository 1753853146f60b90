import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { nodeFile } from "../../../knowledge/base/base.fixture.ts";
import { readTree } from "../../../knowledge/base/tree.ts";
import { candidate, type ScratchCuration, scratchCuration } from "../../../knowledge/curation/curation.fixture.ts";
import { tryFileLock } from "../../../records/file-lock.ts";
import { PUBLIC_URL, testServer } from "../server.fixture.ts";
import { liveTree } from "./live-tree.ts";
import { localKnowledge } from "./local-knowledge.ts";

const HTML = { accept: "text/html" };
const FORM = { "content-type": "application/x-www-form-urlencoded", ...HTML };
const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();

async function machine(...more: ScratchCuration[]) {
  const at = scratchCuration();
  for (const one of [at, ...more]) onTestFinished(one.base.remove);
  const roots = () => [at, ...more].map(({ base }) => base.root);
  const source = localKnowledge({ roots, organisation: "acme", everyMs: 10, waitMs: 6_000 });
  const server = await testServer({ knowledge: source });
  const base = source.bases("acme").find(({ curator }) => curator.places.root === at.base.root);
  return { at, server, path: `/knowledge/${base?.id}` };
}

describe("the pages of knowledge", () => {
  it("show nodes as text and as a graph, search them, and say which files cannot be used", async () => {
    const { at, server, path } = await machine();
    at.base.write(
      "nodes/build/practice-tests.md",
      nodeFile("practice-tests", { title: "Run the tests first", relates_to: ["map-queue"] }),
    );
    at.base.write("nodes/map-queue.md", nodeFile("map-queue", { title: "The queue <b>" }, "It is PostgreSQL."));
    at.base.write("nodes/practice-broken.md", "no front matter");
    const mia = await server.browser("mia");
    const entry = await mia("GET", "/knowledge", undefined, HTML);
    expect([entry.status, entry.headers.get("location")]).toEqual([303, path]);
    const list = await mia("GET", path, undefined, HTML);
    for (const shown of ["Run the tests first", "The queue &lt;b&gt;", "practice-broken.md", "2 nodes"])
      expect(list.text).toContain(shown);
    const found = (await mia("GET", `${path}?q=postgresql`, undefined, HTML)).text;
    expect([found.includes("The queue"), found.includes("Run the tests first")]).toEqual([true, false]);
    const stemmed = (await mia("GET", `/api${path}/nodes?search=${encodeURIComponent("running tests first")}`)).json;
    expect(stemmed.nodes).toMatchObject([{ id: "practice-tests" }]);
    const graph = (await mia("GET", `${path}/graph`, undefined, HTML)).text;
    expect(graph.match(/<circle /g)).toHaveLength(2);
    expect(graph.match(/class="edge"/g)).toHaveLength(1);
    expect(graph).not.toMatch(/style=|<b>/);
    const node = (await mia("GET", `${path}/nodes/map-queue`, undefined, HTML)).text;
    for (const shown of ["It is PostgreSQL.", "Named by", "Run the tests first", "nodes/map-queue.md"])
      expect(node).toContain(shown);
  });

  it("an approver accepts a proposal as they changed it, and takes it back", async () => {
    const { at, server, path } = await machine();
    at.session("s1", [candidate("Sign every release", { body: "With the key of the team." })]);
    const bob = await server.browser("bob");
    const proposal = `${path}/proposals/${encodeURIComponent("s1:practice:0")}`;
    const shown = (await bob("GET", proposal, undefined, HTML)).text;
    for (const line of ["What it would add", "nodes/practice-sign-every-release.md", "+With the key of the team."])
      expect(shown).toContain(line);
    const fields = {
      csrf: bob.csrf,
      what: "accept",
      title: "Sign every release twice",
      body: "By two.\r\nAlways.",
      folder: "release",
    };
    const answer = await bob("POST", proposal, form(fields), FORM);
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `${path}/proposals`]);
    expect(readTree(at.places.nodesDir).nodes).toMatchObject([
      {
        id: "practice-sign-every-release-twice",
        folder: "release",
        body: "By two.\nAlways.",
        derivedFrom: ["session:s1"],
      },
    ]);
    const after = (await bob("GET", `${path}/proposals`, undefined, HTML)).text;
    expect(after).toContain("No proposal waits.");
    expect(after).toContain("Take it back");
    await bob("POST", `${path}/undo`, form({ csrf: bob.csrf, origin: "s1:practice:0" }), FORM);
    expect(readTree(at.places.nodesDir).nodes).toEqual([]);
    expect((await bob("GET", `${path}/proposals`, undefined, HTML)).text).toContain("Sign every release");
  });

  it("a long proposal is accepted as it stands in the form", async () => {
    const { at, server, path } = await machine();
    const body = "One of many sentences.\n".repeat(10_000).trim();
    at.session("s1", [candidate("Read all of it", { body })]);
    const bob = await server.browser("bob");
    const proposal = `${path}/proposals/${encodeURIComponent("s1:practice:0")}`;
    const shown = (await bob("GET", proposal, undefined, HTML)).text;
    expect(Number(/<textarea[^>]* maxlength="(\d+)"/.exec(shown)?.[1])).toBeGreaterThan(body.length);
    const fields = { csrf: bob.csrf, what: "accept", body: body.replaceAll("\n", "\r\n") };
    const answer = await bob("POST", proposal, form(fields), FORM);
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `${path}/proposals`]);
    expect(readTree(at.places.nodesDir).nodes).toMatchObject([{ body }]);
  });

  it("a proposal like a node is shown as what it would change in it, and merged there", async () => {
    const { at, server, path } = await machine();
    at.base.write(
      "nodes/practice-sign-every-release.md",
      nodeFile("practice-sign-every-release", { title: "Sign every release" }, "With a key."),
    );
    at.session("s1", [candidate("Sign every release", { body: "Two people do it." })]);
    const bob = await server.browser("bob");
    const proposal = `${path}/proposals/${encodeURIComponent("s1:practice:0")}`;
    const shown = (await bob("GET", proposal, undefined, HTML)).text;
    expect(shown).toContain("What changes in");
    expect(shown).toContain("+Two people do it.");
    expect((await bob("GET", `${proposal}?into=`, undefined, HTML)).text).toContain("What it would add");
    await bob("POST", proposal, form({ csrf: bob.csrf, what: "merge", into: "practice-sign-every-release" }), FORM);
    expect(readTree(at.places.nodesDir).nodes).toMatchObject([
      { id: "practice-sign-every-release", body: "With a key.\n\nTwo people do it.", derivedFrom: ["session:s1"] },
    ]);
  });

  it("while another process changes the base others are served, and whoever decides is told to try again", async () => {
    const { at, server, path } = await machine();
    at.session("s1", [candidate("One")]);
    const bob = await server.browser("bob");
    const decide = () =>
      bob(
        "POST",
        `${path}/proposals/${encodeURIComponent("s1:practice:0")}`,
        form({ csrf: bob.csrf, what: "accept" }),
        FORM,
      );
    const other = tryFileLock(at.places.baseLock, { createDirectory: true });
    const order: string[] = [];
    const [refused] = await Promise.all([
      decide().finally(() => order.push("decided")),
      server
        .browser("cleo")
        .then((cleo) => cleo("GET", path, undefined, HTML))
        .then(() => order.push("looked")),
    ]);
    expect(order).toEqual(["looked", "decided"]);
    expect(refused.status).toBe(409);
    expect(refused.text).toContain("Try again in a moment");
    other?.release();
    expect((await decide()).status).toBe(303);
    expect(readTree(at.places.nodesDir).nodes).toHaveLength(1);
  });

  it("what is rejected is gone, what is kept waits behind the others, and a second decision is told of the first", async () => {
    const { at, server, path } = await machine();
    at.session("s1", [candidate("One"), candidate("Two"), candidate("Three")]);
    const [bob, cleo] = [await server.browser("bob"), await server.browser("cleo")];
    const decide = (who: typeof bob, origin: string, what: string) =>
      who("POST", `${path}/proposals/${encodeURIComponent(origin)}`, form({ csrf: who.csrf, what }), FORM);
    const next = await decide(bob, "s1:practice:0", "later");
    expect(next.headers.get("location")).toContain(encodeURIComponent("s1:practice:1"));
    await decide(bob, "s1:practice:1", "reject");
    expect((await decide(cleo, "s1:practice:1", "accept")).status).toBe(404);
    const waiting = (await cleo("GET", `/api${path}/proposals`)).json.proposals;
    expect(waiting.map(({ title, isLater }: { title: string; isLater: boolean }) => [title, isLater])).toEqual([
      ["Three", false],
      ["One", true],
    ]);
    expect((await decide(cleo, "s1:practice:2", "maybe")).status).toBe(400);
  });

  it("whoever only reads decides nothing, and another organisation finds no base", async () => {
    const { at, server, path } = await machine();
    at.session("s1", [candidate("One")]);
    const mia = await server.browser("mia");
    const proposal = `${path}/proposals/${encodeURIComponent("s1:practice:0")}`;
    expect((await mia("GET", proposal, undefined, HTML)).text).toContain("Approvers and admins decide.");
    expect((await mia("POST", proposal, form({ csrf: mia.csrf, what: "accept" }), FORM)).status).toBe(403);
    expect((await mia("POST", `${path}/undo`, form({ csrf: mia.csrf }), FORM)).status).toBe(403);
    const olga = await server.browser("olga");
    for (const wrong of [path, `${path}/graph`, `${path}/proposals`, proposal, `${path}/nodes/x`])
      expect((await olga("GET", wrong, undefined, HTML)).status, wrong).toBe(404);
    expect((await olga("POST", proposal, form({ csrf: olga.csrf, what: "reject" }), FORM)).status).toBe(404);
    expect((await olga("GET", "/knowledge", undefined, HTML)).text).toContain("No project on this machine");
    expect(readTree(at.places.nodesDir).nodes).toEqual([]);
  });

  it("X-17 a secret that stands in a title, a file that cannot be used, or a log is on no page and in no answer", async () => {
    const { at, server, path } = await machine();
    const secret = `ghp_${"a1B2".repeat(9)}`;
    at.base.write("nodes/practice-one.md", nodeFile("practice-one", { title: `One ${secret}`, tags: [secret] }));
    at.base.write("nodes/practice-two.md", nodeFile("practice-two", { relates_to: ["practice-one"] }));
    at.base.write("nodes/practice-bad.md", `---\nid: [${secret}\n---\n`);
    at.base.write("nodes/practice-odd.md", `---\n${secret}: ${secret}\nid: practice-odd\nid: practice-odd\n---\n`);
    at.base.write("nodes/practice-same.md", nodeFile("practice-one", { title: secret }));
    at.session("s1", [candidate(`One ${secret}`)]);
    const mia = await server.browser("mia");
    const proposal = `proposals/${encodeURIComponent("s1:practice:0")}`;
    const pages = ["", "/graph", "/nodes/practice-one", "/nodes/practice-two", "/proposals", `/${proposal}`];
    const seen = [
      ...pages.map((page) => path + page),
      `${path}/${proposal}?into=practice-one`,
      `/api${path}/nodes`,
      `/api${path}/proposals`,
      `/api${path}/${proposal}`,
    ];
    for (const one of seen) {
      const { status, text } = await mia("GET", one, undefined, HTML);
      expect([one, status]).toEqual([one, 200]);
      expect(text.includes(secret), one).toBe(false);
    }
  });

  it("a folder that leads out of the base is refused", async () => {
    const { at, server, path } = await machine();
    at.session("s1", [candidate("One")]);
    const bob = await server.browser("bob");
    for (const folder of [
      "../..",
      "/etc",
      "a/../../b",
      "..\\..",
      "a\u0000b",
      "%2e%2e",
      ".",
      ".state",
      "x/./y",
      "a\nb",
    ]) {
      const fields = { csrf: bob.csrf, what: "accept", folder };
      const answer = await bob("POST", `${path}/proposals/${encodeURIComponent("s1:practice:0")}`, form(fields), FORM);
      expect(answer.status, folder).toBe(400);
    }
    expect(readTree(at.places.nodesDir).nodes).toEqual([]);
  });

  it("with several projects a page says which", async () => {
    const { server } = await machine(scratchCuration());
    const { status, text } = await (await server.browser("mia"))("GET", "/knowledge", undefined, HTML);
    expect(status).toBe(200);
    expect(text.match(/class="row-call"/g)).toHaveLength(2);
  });
});

describe("decisions on proposals over the API", () => {
  const ORIGIN = encodeURIComponent("s1:practice:0");

  it("a person's token shows a proposal with what is like it, decides on it, and takes that back", async () => {
    const { at, server, path } = await machine();
    at.base.write(
      "nodes/practice-sign-every-release.md",
      nodeFile("practice-sign-every-release", { title: "Sign every release" }, "With a key."),
    );
    at.session("s1", [candidate("Sign every release", { body: "Two people do it." }), candidate("Two")]);
    const bob = await server.agent({ kind: "person", person: "bob", scopes: [] });
    const { json: shown } = await bob("GET", `/api${path}/proposals/${ORIGIN}`);
    expect(shown.proposal).toMatchObject({ origin: "s1:practice:0", body: "Two people do it.", isLater: false });
    expect(shown.similar[0]).toMatchObject({ id: "practice-sign-every-release" });
    const merge = { decision: "merge", into: "practice-sign-every-release" };
    const merged = await bob("POST", `/api${path}/proposals/${ORIGIN}/decide`, merge);
    expect(merged.json).toMatchObject({ decision: "merged", nodeId: "practice-sign-every-release" });
    expect((await bob("POST", `/api${path}/proposals/${ORIGIN}/decide`, { decision: "reject" })).status).toBe(404);
    expect((await bob("POST", `/api${path}/undo`, { origin: "s1:practice:0" })).status).toBe(200);
    expect((await bob("POST", `/api${path}/undo`, { origin: "s1:practice:0" })).status).toBe(409);
    const accept = { decision: "accept", folder: "release", title: "Sign it twice", tags: ["release"] };
    const accepted = await bob("POST", `/api${path}/proposals/${ORIGIN}/decide`, accept);
    expect(accepted.json).toMatchObject({ decision: "accepted", nodeId: "practice-sign-it-twice" });
    expect(readTree(at.places.nodesDir).nodes.find(({ id }) => id === "practice-sign-it-twice")).toMatchObject({
      folder: "release",
      tags: ["release"],
      body: "Two people do it.",
    });
    expect(server.logged.join("\n")).toContain("acme: bob took back merged s1:practice:0");
  });

  it("readers, agents, other organisations and pages of others decide nothing", async () => {
    const { at, server, path } = await machine();
    at.session("s1", [candidate("One")]);
    const [mia, olga, bob] = [await server.browser("mia"), await server.browser("olga"), await server.browser("bob")];
    const agent = await server.agent();
    const posts = [
      [`/api${path}/proposals/${ORIGIN}/decide`, { decision: "accept" }],
      [`/api${path}/undo`, { origin: "s1:practice:0" }],
    ] as const;
    for (const [url, body] of posts) {
      expect((await mia("POST", url, body)).status).toBe(403);
      expect((await agent("POST", url, body)).status).toBe(403);
      expect((await olga("POST", url, body)).status).toBe(404);
      expect((await server.anybody("POST", url, body)).status).toBe(401);
      expect((await bob("POST", url, body, { "x-csrf-token": "another" })).status).toBe(403);
      expect((await bob("POST", url, body, { origin: "https://elsewhere.example" })).status).toBe(403);
    }
    expect((await olga("GET", `/api${path}/proposals/${ORIGIN}`)).status).toBe(404);
    expect((await agent("GET", `/api${path}/proposals/${ORIGIN}`)).status).toBe(403);
    expect(readTree(at.places.nodesDir).nodes).toEqual([]);
  });

  it("what does not fit is refused, and a part of a name means no proposal", async () => {
    const { at, server, path } = await machine();
    at.session("s1", [candidate("One")]);
    const bob = await server.browser("bob");
    const decide = (body: object, origin = ORIGIN) => bob("POST", `/api${path}/proposals/${origin}/decide`, body);
    for (const body of [{}, { decision: "maybe" }, { decision: "merge" }, { decision: "accept", titel: "x" }])
      expect((await decide(body)).status, JSON.stringify(body)).toBe(400);
    expect((await decide({ decision: "accept", folder: "../.." })).status).toBe(400);
    expect((await decide({ decision: "merge", into: "practice-none" })).status).toBe(404);
    expect((await decide({ decision: "reject" }, "s1")).status).toBe(404);
    expect((await bob("GET", `/api${path}/proposals`)).json.proposals).toHaveLength(1);
  });
});

describe("news of knowledge", () => {
  it("come when a proposal was decided by any process", async () => {
    const { at, server, path } = await machine();
    at.session("s1", [candidate("One")]);
    const { cookie } = await server.browser("mia");
    const url = new URL(`/api/knowledge-events?base=${path.split("/").at(-1)}`, PUBLIC_URL);
    const response = await server.app.request(url, { headers: { host: "127.0.0.1:4173", cookie } });
    const reader = response.body?.getReader();
    const heard = async (word: string) => {
      let text = "";
      while (!text.includes(`event: ${word}\n`)) text += new TextDecoder().decode((await reader?.read())?.value);
    };
    await heard("ready");
    at.base.write(".state/curation.json", '{"schema_version":1,"decisions":[]}');
    await heard("knowledge");
    await reader?.cancel();
  });
});

describe("a tree that is kept in memory", () => {
  it("says soon after every change what the files say, and is the same one while nothing changes", async () => {
    const { base } = scratchCuration();
    onTestFinished(base.remove);
    const tree = liveTree(base.places.nodesDir);
    const isSame = () => vi.waitFor(() => expect(tree()).toEqual(readTree(base.places.nodesDir)), 20_000);
    await isSame();
    const file = base.write("nodes/a/practice-a.md", nodeFile("practice-a"));
    await isSame();
    base.write("nodes/practice-b.md", nodeFile("practice-a"));
    await isSame();
    writeFileSync(file, nodeFile("practice-a", { title: "changed" }));
    await isSame();
    writeFileSync(join(base.places.nodesDir, "practice-b.md"), "broken");
    await isSame();
    rmSync(file);
    await isSame();
    writeFileSync(join(base.places.nodesDir, "practice-b.md"), nodeFile("practice-b"));
    await isSame();
    expect(tree()).toBe(tree());
  });
});
