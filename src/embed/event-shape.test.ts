/** What is read on every call has one hidden class: objects that each have their own make every hook that reads them slow. */
import { setFlagsFromString } from "node:v8";
import { expect, it } from "vitest";
import type { AgentEvent } from "../core/event.ts";
import { HOSTS } from "../hosts/registry.ts";
import type { EngineHost } from "./engine-host.ts";
import { Session } from "./session.ts";
import { toolReader } from "./tools.ts";

setFlagsFromString("--allow-natives-syntax");
const haveSameShape = new Function("one", "other", "return %HaveSameMap(one, other)") as (
  one: object,
  other: object,
) => boolean;

/** V8 settles on how it copies an object after a few times. */
const TIMES = 50;

function expectOneShape(make: (index: number) => AgentEvent | undefined): void {
  const made = Array.from({ length: TIMES }, (_, index) => make(index));
  const [one, other] = made.slice(-2);
  if (!one || !other) throw new Error("nothing was made");
  expect(haveSameShape(one, other), `two ${one.name} of ${one.host}`).toBe(true);
  if ("tool" in one && "tool" in other)
    expect(haveSameShape(one.tool, other.tool), `two ${one.tool.kind} calls of ${one.host}`).toBe(true);
}

it("events of one kind that a session fires have one shape, and so have the calls in them", async () => {
  const events: AgentEvent[] = [];
  const tools = toolReader({ look: { kind: "read", paths: ["path"] }, sh: { kind: "shell" } });
  const judge = async (event: AgentEvent) => {
    events.push(event);
    return {
      event: event.name,
      kind: "none",
      reasons: [],
      final: event,
      context: [],
      effects: [],
      mutate: [],
      trace: [],
    };
  };
  const host = { id: "mine", cwd: "/", tools, metadataOf: () => ({}), judge } as unknown as EngineHost;
  const session = new Session(host, { agent: "a", user: "mona" });
  for (const name of ["look", "sh"]) {
    events.length = 0;
    for (let index = 0; index < TIMES; index++)
      await session.callTool({ name, input: { path: `${index}` }, id: `${index}`, run: () => "found" });
    for (const event of ["pre_tool_use", "post_tool_use"]) {
      const fired = events.filter((fired) => fired.name === event);
      expectOneShape((index) => fired[index]);
    }
  }
});

it.each(HOSTS.map((host) => [host.id, host] as const))("calls that come from %s have one shape", (_, host) => {
  const { codec, probes, support } = host;
  const native = support.pre_tool_use?.native[0] ?? "";
  expectOneShape((index) => {
    const id = `c${index}`;
    const call = probes.shell(`echo ${index}`);
    const payload = codec.compose({ on: "pre_tool_use", native, session: "s", cwd: "/", id, call });
    return payload && codec.parse(payload, { id, at: "", env: {}, cwd: "/", event: native }).events[0];
  });
});
