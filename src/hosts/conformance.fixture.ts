/** The one suite every host passes. A host's test calls it with its fixtures and with how that host reads an answer. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Decision } from "../core/decision.ts";
import { HoldfastError } from "../core/errors.ts";
import { type AgentEvent, CONTEXT_FIELDS, EVENT_NAMES, type EventName, eventRow } from "../core/event.ts";
import { checkFields } from "../core/fields.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { rewriteEvent } from "../core/rewrite.ts";
import { TOOL_KINDS } from "../core/tool.ts";
import { type Opinion, strength } from "../core/verdict.ts";
import { BLOCK_PREFIX } from "./answer-text.ts";
import {
  type Delivery,
  type Host,
  type HostAnswer,
  type Moment,
  type Native,
  type NativeCall,
  type Outcome,
  type SupportRow,
  supportRows,
} from "./host.ts";

export interface HostUnderTest {
  readonly host: Host;
  /** Folders of recorded or documented payloads. */
  readonly fixtures: readonly string[];
  /** The host's own rules for answers, told a second time and independently of our codec. */
  readonly reads: (native: Native, answer: HostAnswer) => Seen;
  /** A payload with another event or tool in it; default: `hook_event_name` and `tool_name`. */
  readonly withEvent?: (payload: JsonObject, name: string) => JsonObject;
  readonly withTool?: (payload: JsonObject, name: string) => JsonObject;
  /** false: payloads do not name their event, the command line does. */
  readonly namesEvent?: boolean;
}

/** What an answer does on the host. */
export interface Seen {
  readonly blocked?: string;
  readonly asked?: string;
  readonly allowed?: string;
  readonly continued?: string;
  readonly halted?: string;
  readonly context?: string;
  readonly rewrite?: Json;
}

export interface Fixture {
  readonly name: string;
  readonly event: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The payload; for in-process hosts as our plugin sends it. */
  readonly stdin: JsonObject;
}

export function readFixtures(folder: string): Fixture[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => ({ ...JSON.parse(readFileSync(join(folder, name), "utf8")), name: name.replace(/\.json$/, "") }));
}

export function momentOf({ env = {}, event }: Partial<Pick<Fixture, "env" | "event">>): Moment {
  return { id: "event-1", at: "2026-11-15T00:00:00.000Z", env, cwd: "/elsewhere", event };
}

export interface Wish {
  readonly kind?: Opinion["kind"];
  readonly reason?: string;
  readonly rewrite?: Json;
  readonly context?: readonly string[];
}

/** A decision as the engine would make it, from what hooks are taken to want. */
export function decisionOf(event: AgentEvent, wish: Wish, host: Pick<Host, "tools">): Decision {
  const { kind = "none", reason = "because", rewrite, context = [] } = wish;
  const final = rewrite === undefined ? event : rewriteEvent(event, rewrite, host.tools);
  return {
    event: event.name,
    kind,
    reasons: kind === "none" ? [] : [{ hook: "guard", text: reason }],
    final,
    ...(rewrite === undefined ? {} : { rewrite }),
    context: context.map((text) => ({ hook: "teller", text })),
    effects: [],
    mutate: [],
    trace: [],
  };
}

/** Every event of a payload with what is wished for it; nothing for the others. */
export function outcomesOf(native: Native, wishes: { readonly [E in EventName]?: Wish }, host: Host): Outcome[] {
  return native.events.map((event) => ({ event, decision: decisionOf(event, wishes[event.name] ?? {}, host) }));
}

export function describeHost({
  host,
  fixtures: folders,
  reads,
  withEvent = (payload, hook_event_name) => ({ ...payload, hook_event_name }),
  withTool = (payload, tool_name) => ({ ...payload, tool_name }),
  namesEvent = true,
}: HostUnderTest): void {
  const { codec, support } = host;
  const fixtures = folders.flatMap(readFixtures);
  const parsed = fixtures.map((fixture) => ({ fixture, native: codec.parse(fixture.stdin, momentOf(fixture)) }));
  const rows = supportRows(support);
  const silence: HostAnswer = { stdout: host.silence ?? "", stderr: "", exitCode: 0 };

  describe(`${host.title}: parse`, () => {
    it.each(fixtures)("$name becomes events that fit the event table", (fixture) => {
      const native = codec.parse(fixture.stdin, momentOf(fixture));
      expect(native.event).toBe(fixture.event);
      for (const event of native.events) expect(problemsOf(event, host.id), event.name).toEqual([]);
      expect(new Set(native.events.map(({ id }) => id)).size).toBe(native.events.length);
      expect(native.unknownEvent).toBeUndefined();
      expect(native.unknownTool).toBeUndefined();
    });

    it.each(fixtures)("$name gives the same events every time, and is not changed", (fixture) => {
      const payload = frozen(structuredClone(fixture.stdin));
      expect(codec.parse(payload, momentOf(fixture))).toEqual(codec.parse(fixture.stdin, momentOf(fixture)));
    });

    it("every event of the support table is proven by a fixture, and no other event appears", () => {
      const seen = new Set(parsed.flatMap(({ native }) => native.events.map(({ name }) => name)));
      expect([...seen].sort()).toEqual(Object.keys(support).sort());
      const natives = new Set(parsed.map(({ native }) => native.event));
      expect(rows.flatMap(({ native }) => native).filter((name) => !natives.has(name))).toEqual([]);
    });

    it("junk throws HF301 and nothing else", () => {
      for (const junk of [{}, { hook_event_name: 1 }, { hook_event_name: "" }, { hook_event_name: null }, { a: [] }]) {
        expect(() => codec.parse(junk, momentOf({ env: {} }))).toThrow(HoldfastError);
      }
      const names = fc.constantFrom(...rows.flatMap(({ native }) => native));
      const payloads = fixtures.map(({ stdin }) => fc.constant(stdin));
      fc.assert(
        fc.property(names, fc.oneof(...payloads), fc.dictionary(fc.string(), fc.jsonValue()), (name, stdin, noise) => {
          const broken = withEvent({ ...stdin, ...(scrambled(stdin, noise) as JsonObject) }, name);
          try {
            const native = codec.parse(broken, momentOf({ event: name }));
            for (const event of native.events) expect(problemsOf(event, host.id)).toEqual([]);
          } catch (error) {
            expect(error).toBeInstanceOf(HoldfastError);
            expect((error as HoldfastError).code).toBe("HF301");
          }
        }),
        { numRuns: 300 },
      );
    });

    it("an event that was never heard of is passed in silence, and named", () => {
      const payload = withEvent(fixtures[0]?.stdin ?? {}, "NeverHeardOf");
      const native = codec.parse(payload, momentOf({ event: "NeverHeardOf" }));
      expect(native).toMatchObject({ events: [], unknownEvent: "NeverHeardOf" });
      expect(codec.render(native, [])).toEqual(silence);
    });

    it("KB-3: a tool that was never heard of is judged as kind other, and named", () => {
      const call = parsed.find(({ native }) => native.events[0]?.name === "pre_tool_use")?.fixture as Fixture;
      const native = codec.parse(withTool(call.stdin, "NeverHeardOf"), momentOf(call));
      expect(native.unknownTool).toBe("NeverHeardOf");
      expect(native.events[0]).toMatchObject({ tool: { kind: "other", name: "NeverHeardOf" } });
    });

    it.runIf(namesEvent)("the event's name is dug out of a payload that is cut off", () => {
      for (const { event, stdin } of fixtures) {
        const text = JSON.stringify(stdin);
        expect(codec.eventName(text)).toBe(event);
        expect(codec.eventName(text.slice(0, text.indexOf(`"${event}"`) + event.length + 3))).toBe(event);
      }
      expect(codec.eventName("")).toBeUndefined();
      expect(codec.eventName("no json")).toBeUndefined();
    });

    it("a payload that is made up is read as what it stands for, on every event that is asked about", () => {
      for (const on of ["pre_tool_use", "user_prompt_submit", "session_start", "stop"] as const) {
        const native = support[on]?.native[0];
        const sample = { on, native: native ?? "", session: "s", cwd: "/project", id: "c", prompt: "P", message: "M" };
        const payload = codec.compose({ ...sample, call: host.probes.shell("ls") });
        if (!native) continue;
        const { events } = codec.parse(payload as JsonObject, momentOf({ event: native }));
        expect(
          events.find(({ name }) => name === on),
          on,
        ).toMatchObject({ session: "s", cwd: "/project" });
      }
    });

    it("each kind of call is named as the host names it, and read back with its kind, path and text", () => {
      const kindOf = ({ tool, input }: NativeCall) => host.tools.read(tool, input);
      expect(kindOf(host.probes.shell("ls -l"))).toMatchObject({ kind: "shell", command: "ls -l" });
      expect(kindOf(host.probes.write("/a/b", "text"))).toMatchObject({ paths: ["/a/b"], content: "text" });
      expect(["write", "edit"]).toContain(kindOf(host.probes.write("/a/b", "text")).kind);
      expect(kindOf(host.probes.edit("/a/b", "x", "y"))).toMatchObject({ kind: "edit", paths: ["/a/b"], content: "y" });
      expect(kindOf(host.probes.read("/a/b"))).toMatchObject({ kind: "read", paths: ["/a/b"] });
    });

    it.runIf(namesEvent)("where a broken payload names two events, neither is believed", () => {
      const text = `{"hook_event_name":"Stop","tool_input":{"hook_event_name":"PreToolUse"}`;
      expect(codec.eventName(text)).toBeUndefined();
    });
  });

  describe(`${host.title}: render`, () => {
    it.each(parsed)("$fixture.name with nothing to say is silence", ({ native }) => {
      expect(codec.render(native, outcomesOf(native, {}, host))).toEqual(silence);
    });

    const cases = rows.flatMap((row) =>
      eventRow(row.event).answers.map((answer) => ({ row, event: row.event, answer, delivery: row.answers[answer] })),
    );

    it.each(cases)("$event: $answer has a declared delivery, and that is what happens", (scenario) => {
      const { row, event, answer, delivery } = scenario;
      expect(delivery).toBeDefined();
      const having = parsed.filter(({ native }) => native.events.some(({ name }) => name === event));
      expect(having.length).toBeGreaterThan(0);
      for (const { fixture, native } of having) {
        const target = native.events.find(({ name }) => name === event) as AgentEvent;
        const wish = wishFor(answer, target);
        const rendered = codec.render(native, outcomesOf(native, { [event]: wish }, host));
        assertDelivered(delivery as Delivery, answer, reads(native, rendered), rendered, fixture.name);
        assertShape(rendered);
        expect(row.native).toContain(native.event);
      }
    });

    it("events the host never has are declared by their absence", () => {
      for (const event of EVENT_NAMES) {
        if (support[event]) continue;
        expect(parsed.filter(({ native }) => native.events.some(({ name }) => name === event))).toEqual([]);
      }
    });

    it("whatever hooks say together, the host does nothing weaker unless it is reported (law 8)", () => {
      fc.assert(
        fc.property(fc.constantFrom(...parsed), fc.infiniteStream(fc.nat(100)), ({ native }, picks) => {
          const wishes = Object.fromEntries(native.events.map((event) => [event.name, anyWish(event, picks)]));
          const outcomes = outcomesOf(native, wishes, host);
          const rendered = codec.render(native, outcomes);
          assertShape(rendered);
          const seen = reads(native, rendered);
          const top = Math.max(0, ...outcomes.map(({ decision }) => strength({ kind: decision.kind } as Opinion)));
          const guarded = outcomes.some(({ decision }) => decision.kind === "block" || decision.kind === "ask");
          if (guarded && !rendered.undelivered) {
            expect(rankOf(seen)).toBeGreaterThanOrEqual(top);
          }
          expect(codec.render(native, outcomes)).toEqual(rendered);
        }),
        { numRuns: 500 },
      );
    });

    it("every reason is named, the first as it was written, and none twice", () => {
      for (const { native } of parsed) {
        const event = native.events.find(({ name }) => row(rows, name)?.answers.block === "native");
        if (!event) continue;
        const decision = decisionOf(event, { kind: "block" }, host);
        const reasons = ["First: as  written", "second", "second", "First: as  written", "x".repeat(900)];
        const told = { ...decision, reasons: reasons.map((text) => ({ hook: "guard", text })) };
        const { blocked = "" } = reads(native, codec.render(native, [{ event, decision: told }]));
        expect(blocked.startsWith(`${BLOCK_PREFIX} First: as  written\nAlso: second\nAlso: xxx`)).toBe(true);
        expect(blocked.match(/second/g)?.length).toBe(1);
        expect(blocked.length).toBeLessThan(400);
      }
    });
  });

  describe(`${host.title}: fail`, () => {
    const natives = [...new Set(rows.flatMap(({ native }) => native))];

    it.each(natives)("%s: our own failure is a block where the event guards, and else only a warning", (event) => {
      const guards = rows.some(
        ({ native, event: name, answers }) =>
          native.includes(event) && eventRow(name).guards && answers.block !== undefined && canReach(answers.block),
      );
      const failed = codec.fail(event, "the plan is unreadable");
      const { native } = parsed.find(({ native }) => native.event === event) ?? {};
      assertShape(failed);
      if (guards) {
        expect(failed.exitCode === 2 ? failed.stderr : reads(native as Native, failed).blocked).toBe(
          `${BLOCK_PREFIX} the plan is unreadable`,
        );
      } else {
        expect(failed).toEqual({ stdout: "", stderr: "holdfast: the plan is unreadable", exitCode: 1 });
        expect(reads(native as Native, failed)).toEqual({});
      }
    });

    it("where the event cannot be made out, our own failure is a block", () => {
      for (const event of [undefined, "NeverHeardOf"]) {
        expect(codec.fail(event, "")).toEqual({
          stdout: "",
          stderr: `${BLOCK_PREFIX} it failed and could not say why`,
          exitCode: 2,
        });
      }
    });
  });
}

const row = (rows: readonly SupportRow[], event: EventName) => rows.find((candidate) => candidate.event === event);

const canReach = (delivery: Delivery) =>
  delivery === "native" || (typeof delivery === "object" && "partly" in delivery);

function problemsOf(event: AgentEvent, hostId: string): readonly unknown[] {
  const { name, tool, ...fields } = event as AgentEvent & { tool?: { kind: string; paths: unknown; input: unknown } };
  const { payload, tool: hasTool } = eventRow(name);
  const problems: unknown[] = checkFields(fields, { ...CONTEXT_FIELDS, ...payload });
  if (event.host !== hostId) problems.push(`host is ${event.host}`);
  if (Boolean(tool) !== Boolean(hasTool)) problems.push("tool is missing or too much");
  if (tool && !TOOL_KINDS.some((kind) => kind === tool.kind)) problems.push(`kind ${tool.kind}`);
  if (tool && (!Array.isArray(tool.paths) || !isJsonObject(tool.input))) problems.push("tool has no paths or input");
  return problems;
}

const REWRITTEN = "REWRITTEN-7";
const REASON = "the reason 4711";
const CONTEXT = "the context 4712";

function wishFor(answer: string, event: AgentEvent): Wish {
  if (answer === "context") return { context: [CONTEXT] };
  if (answer === "rewrite") return { rewrite: rewriteFor(event) };
  return { kind: answer as Opinion["kind"], reason: REASON };
}

function rewriteFor(event: AgentEvent): Json {
  if (event.name === "post_tool_use") return REWRITTEN;
  if (event.name === "pre_delegation") return { objective: REWRITTEN };
  if (!("tool" in event)) throw new Error(`${event.name} cannot be rewritten`);
  const { input, paths, kind } = event.tool;
  const patch = Object.keys(input).find((key) => /^\*\*\* Begin Patch/.test(String(input[key])));
  if (patch) return { ...input, [patch]: String(input[patch]).replace(/^\+.*$/m, `+${REWRITTEN}`) };
  const field = Object.keys(input).find((key) => typeof input[key] === "string" && key !== "command");
  if (kind === "shell") return { ...input, command: REWRITTEN };
  return field && !paths.includes(input[field] as string)
    ? { ...input, [field]: REWRITTEN }
    : { ...input, note: REWRITTEN };
}

function anyWish(event: AgentEvent, picks: Iterator<number>): Wish {
  const next = () => picks.next().value as number;
  const kinds = eventRow(event.name).answers.filter((answer) => !["rewrite", "context", "mutate"].includes(answer));
  const kind = [...kinds, "none"][next() % (kinds.length + 1)] as Opinion["kind"];
  const rewrites = eventRow(event.name).answers.includes("rewrite") && next() % 2 === 0;
  const tells = eventRow(event.name).answers.includes("context") && next() % 2 === 0;
  return {
    kind,
    reason: REASON,
    ...(rewrites ? { rewrite: rewriteFor(event) } : {}),
    ...(tells ? { context: [CONTEXT] } : {}),
  };
}

function assertDelivered(delivery: Delivery, answer: string, seen: Seen, rendered: HostAnswer, where: string): void {
  if (delivery === "native") assertNative(answer, seen, rendered, where);
  else if ("partly" in delivery) {
    if (rendered.undelivered) expect(rendered.undelivered, where).toEqual([delivery.partly]);
    else assertNative(answer, seen, rendered, where);
  } else if ("undelivered" in delivery) {
    expect(seen, where).toEqual({});
    expect(rendered.undelivered, where).toEqual([delivery.undelivered]);
  } else if (delivery.becomes === "none") {
    expect([seen, rendered.undelivered], where).toEqual([{}, undefined]);
  } else {
    expect(rendered.undelivered, where).toBeUndefined();
    expect(seen.blocked?.startsWith(BLOCK_PREFIX), where).toBe(true);
    expect(seen.blocked, where).toContain(delivery.how);
    expect(seen.blocked, where).toContain(answer === "rewrite" ? REWRITTEN : REASON);
  }
}

function assertNative(answer: string, seen: Seen, rendered: HostAnswer, where: string): void {
  expect(rendered.undelivered, where).toBeUndefined();
  const field = FIELD_OF[answer] ?? "";
  const { [field]: told, ...besides } = seen as { [key: string]: Json };
  expect(JSON.stringify(told ?? null), where).toContain(
    answer === "context" ? CONTEXT : answer === "rewrite" ? REWRITTEN : REASON,
  );
  if (answer === "block") expect((told as string).startsWith(BLOCK_PREFIX), where).toBe(true);
  // A delegation's context is written into the sub-agent's prompt, and hidden output is replaced output.
  expect(
    Object.keys(besides).filter((key) => key !== "rewrite"),
    where,
  ).toEqual([]);
}

const FIELD_OF: Readonly<Record<string, keyof Seen>> = {
  block: "blocked",
  ask: "asked",
  allow: "allowed",
  continue: "continued",
  halt: "halted",
  context: "context",
  rewrite: "rewrite",
};

function rankOf(seen: Seen): number {
  const kinds = Object.entries(FIELD_OF).filter(
    ([kind, field]) => kind !== "context" && kind !== "rewrite" && seen[field],
  );
  return Math.max(0, ...kinds.map(([kind]) => strength({ kind } as Opinion)));
}

/** No host gets two messages at once, and none is told of a block without a word. */
function assertShape({ stdout, stderr, exitCode }: HostAnswer): void {
  expect([0, 1, 2]).toContain(exitCode);
  if (exitCode === 0) expect(stderr).toBe("");
  else expect([stdout, stderr === ""]).toEqual(["", false]);
}

/** Some fields of a payload replaced by noise. */
function scrambled(stdin: JsonObject, noise: { [key: string]: unknown }): { [key: string]: unknown } {
  const values = Object.values(noise);
  const keys = Object.keys(stdin);
  const hit = values.map((value, index): [string, unknown] => [keys[(index * 7) % keys.length] ?? "x", value]);
  return { ...noise, ...Object.fromEntries(hit) };
}

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const item of Object.values(value)) frozen(item);
    Object.freeze(value);
  }
  return value;
}
