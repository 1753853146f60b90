import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Plan } from "../../config/plan.ts";
import type { Hook, Member } from "../../core/hook.ts";
import { NO_OPINION } from "../../core/verdict.ts";
import type { ReadyEngine } from "../../engine/ready.ts";
import { answer, encodeRequest, type Request, RequestReader } from "./protocol.ts";
import { warmUp } from "./warm-up.ts";

let dir: string;
let server: Server;
const heard: Request[] = [];
let isOver = false;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "holdfast-warm-up-"));
  heard.length = 0;
  isOver = false;
  server = createServer((socket) => {
    const reader = new RequestReader();
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      const request = reader.feed(chunk);
      if (!request) return;
      heard.push(request);
      socket.end(answer(0, "", ""));
    });
  });
  server.listen(join(dir, "socket"));
  await once(server, "listening");
});
afterEach(() => {
  server.close();
  rmSync(dir, { recursive: true, force: true });
});

const payload = { hook_event_name: "PreToolUse", session_id: "s", tool_name: "Bash", tool_input: { command: "ls" } };
const real: Request = {
  argv: ["hook"],
  env: { HOME: "/nowhere" },
  cwd: "/nowhere",
  payload: Buffer.from(JSON.stringify(payload)),
  id: "real",
};

const startWarmUp = (scratchDir = join(dir, "scratch")) =>
  warmUp({
    scratchDir,
    socketFile: join(dir, "socket"),
    distDir: dir,
    append: () => ({ kind: "written", head: { seq: 0, hash: "" }, drainedCount: 0, warnings: [] }),
    isBusy: () => false,
    isOver: () => isOver,
  });

function engine(hooks: readonly Hook[] = []): ReadyEngine & { closed: number } {
  const plan = {
    root: "/nowhere",
    hooks: [],
    files: [],
    errors: [],
    watched: {},
    environment: {},
    settings: {},
  } as unknown as Plan;
  const found = { plan, hooks, closed: 0, close: async () => void found.closed++ } as unknown as ReadyEngine & {
    closed: number;
  };
  return found;
}

test("made-up calls are those of a caller that came, with engines of their own; late ones are judged by nobody", async () => {
  const scratchDir = join(dir, "scratch");
  const warming = startWarmUp(scratchDir);
  const theirs = engine();
  expect(warming.engineFor(real, theirs)).toBe(theirs);
  while (heard.length < 3) await new Promise((resolve) => setTimeout(resolve, 20));

  const [first, second] = heard as [Request, Request];
  expect(warming.isMadeUp(real)).toBe(false);
  expect(warming.isMadeUp(first)).toBe(true);
  // All but payload and id as they were: otherwise another engine would be found, and the words be read again.
  const { payload: made, id: _id, ...caller } = first;
  const { payload: given, id: _other, ...same } = new RequestReader().feed(encodeRequest(real)) as Request;
  expect(caller).toEqual(same);
  expect(Object.keys(JSON.parse(Buffer.from(made).toString()))).toEqual(
    Object.keys(JSON.parse(Buffer.from(given).toString())),
  );
  const lent = [warming.engineFor(first, theirs), warming.engineFor(second, theirs)];
  expect(lent).not.toContain(theirs);
  expect(theirs.closed).toBe(2);
  expect(lent.map(({ places }) => places.stateDir)).toEqual([scratchDir, scratchDir]);
  expect(lent.map(({ places }) => places.recordsDir)).toEqual([
    join(scratchDir, "records"),
    join(scratchDir, "records"),
  ]);

  isOver = true;
  while (!warming.isWarm()) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(existsSync(scratchDir)).toBe(false);
  expect(() => warming.engineFor(first, theirs)).toThrow("the rehearsal is over");
  expect(theirs.closed).toBe(3);
});

test("a person's hooks have no part in made-up calls but by their understudies, in every engine that is lent", async () => {
  const asked: string[] = [];
  const theirs = engine([moduleHook("first", asked), moduleHook("second", asked), commandHook("command", asked)]);
  const warming = startWarmUp();
  warming.engineFor(real, theirs);
  while (heard.length < 3) await new Promise((resolve) => setTimeout(resolve, 20));
  const lent = (heard.slice(0, 3) as Request[]).map((request) => warming.engineFor(request, theirs));
  isOver = true;
  for (const { hooks } of lent) {
    expect(hooks.map(({ name }) => name)).toEqual(["first", "second"]);
    for (const hook of hooks) await hook.judge({} as never, {} as never);
  }
  expect(asked).toEqual(lent.flatMap(() => ["understudy of first", "understudy of second"]));
  while (!warming.isWarm()) await new Promise((resolve) => setTimeout(resolve, 20));
});

function commandHook(name: string, asked: string[]): Hook {
  return {
    name,
    source: name,
    layer: "user",
    priority: 0,
    on: ["pre_tool_use"],
    onError: "block",
    judge: () => {
      asked.push(name);
      return NO_OPINION;
    },
  };
}

/** As a module's: in a panel, with somebody who stands in for it. */
function moduleHook(name: string, asked: string[]): Hook {
  const memberOf = (called: string): Member => ({
    panel: {
      hear: (members) => {
        asked.push(called);
        return members.map(() => ({ verdict: NO_OPINION, ms: 0 }));
      },
    },
    understudy: () => memberOf(`understudy of ${called}`),
  });
  return { ...commandHook(name, asked), member: memberOf(name) };
}

test("it goes on after the calls that follow, some times, and then leaves calls alone", async () => {
  isOver = true;
  const warming = startWarmUp();
  const theirs = engine();
  for (const calls of [1, 5, 25, 100]) {
    for (let call = 1; call < calls; call++) warming.engineFor(real, theirs);
    expect([calls, warming.isWarm(), warming.isDone()]).toEqual([calls, calls > 1, false]);
    warming.engineFor(real, theirs);
    expect(warming.isWarm()).toBe(false);
    while (!warming.isWarm()) await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(warming.isDone()).toBe(true);
  expect(theirs.closed).toBe(0);
});
