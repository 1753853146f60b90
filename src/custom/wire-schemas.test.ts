import { Ajv, type ValidateFunction } from "ajv";
import fc, { type Arbitrary } from "fast-check";
import { describe, expect, it } from "vitest";
import { EVENT_NAMES, type EventName } from "../core/event.ts";
import { HookFailure } from "../core/failure.ts";
import type { Fields, Spec } from "../core/fields.ts";
import type { Json, JsonObject } from "../core/json.ts";
import { assertExpressible } from "../core/verdict.ts";
import { answerFields } from "./answer-fields.ts";
import { sampleEvents } from "./wire.fixture.ts";
import { readAnswer } from "./wire-answer.ts";
import { wireInput } from "./wire-input.ts";
import { wireSchemas } from "./wire-schemas.ts";

const schemas = wireSchemas();
const ajv = new Ajv({ strict: true, allErrors: true });
const dashed = (event: EventName) => event.replaceAll("_", "-");
const validators = new Map(Object.entries(schemas).map(([file, schema]) => [file, ajv.compile(schema)]));
const validator = (event: EventName, side: "input" | "output") =>
  validators.get(`${dashed(event)}.command.${side}.schema.json`) as ValidateFunction;

const PREDECESSOR = [
  "session-start",
  "user-prompt-submit",
  "pre-tool-use",
  "permission-request",
  "post-tool-use",
  "stop",
  "pre-compaction",
  "post-compaction",
  "pre-delegation",
  "delegation-start",
  "post-delegation",
  "delegation-failure",
];

describe("the published schemas", () => {
  it("Q-104 are one for the input and one for the output of every event, the predecessor's 24 among them", () => {
    const files = Object.keys(schemas);
    expect(files).toHaveLength(EVENT_NAMES.length * 2);
    for (const event of PREDECESSOR) {
      expect(files).toContain(`${event}.command.input.schema.json`);
      expect(files).toContain(`${event}.command.output.schema.json`);
    }
  });

  it("Q-104 are draft-07, titled by their file's stem, valid and strict", () => {
    for (const [file, schema] of Object.entries(schemas)) {
      expect(schema.$schema).toBe("http://json-schema.org/draft-07/schema#");
      expect(`${schema.title}.schema.json`).toBe(file);
      expect(schema.additionalProperties).toBe(false);
      expect(ajv.validateSchema(schema)).toBe(true);
    }
  });

  it("Q-104 come out the same, keys sorted all the way down", () => {
    expect(JSON.stringify(wireSchemas())).toBe(JSON.stringify(schemas));
    const check = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return;
      if (!Array.isArray(value)) expect(Object.keys(value)).toEqual(Object.keys(value).sort());
      Object.values(value).forEach(check);
    };
    Object.values(schemas).forEach(check);
  });

  it("Q-104 fix the event's name as a constant on both sides", () => {
    for (const event of EVENT_NAMES) {
      const input = schemas[`${dashed(event)}.command.input.schema.json`] as JsonObject;
      expect(input.properties).toMatchObject({ hook_event_name: { const: event } });
      const output = JSON.stringify(schemas[`${dashed(event)}.command.output.schema.json`]);
      if (output.includes("hook_event_name")) expect(output).toContain(`"const":"${event}"`);
    }
  });

  it("Q-107 reject an extra property and a missing one in every input", () => {
    for (const event of sampleEvents()) {
      const fits = validator(event.name, "input");
      const input = wireInput(event);
      expect(fits(input)).toBe(true);
      expect(fits({ ...input, extra: 1 })).toBe(false);
      for (const name of Object.keys(input)) {
        const { [name]: _, ...without } = input;
        expect(fits(without), `${event.name} without ${name}`).toBe(false);
      }
    }
  });

  it("Q-106 reject a permission behavior other than allow and deny", () => {
    const fits = validator("permission_request", "output");
    const answer = (behavior: string) => ({
      hook_specific_output: { hook_event_name: "permission_request", decision: { behavior } },
    });
    expect(["allow", "deny", "ask", "block"].filter((behavior) => fits(answer(behavior)))).toEqual(["allow", "deny"]);
  });
});

describe("schema and reader", () => {
  it("W1 agree on every answer that fits the fields of its event", () => {
    expect(agreement(validAnswer, 100)).toMatchObject({ rejected: 0 });
  });

  it("W1 agree on every answer that nearly fits", () => {
    const { accepted, rejected } = agreement(nearAnswer, 300);
    expect(Math.min(accepted, rejected)).toBeGreaterThan(500);
  });

  it("W1 agree on stop answers that contradict themselves", () => {
    const flagOrNull = fc.option(fc.boolean());
    const answer = fc.record(
      { go_on: flagOrNull, halt: flagOrNull, decision: fc.option(fc.constant("block")), continue: fc.boolean() },
      { requiredKeys: [] },
    );
    fc.assert(fc.property(answer, (value) => void agree("stop", value)));
  });
});

/** Whether an answer is accepted, by both or by neither. */
function agree(event: EventName, answer: Json): boolean {
  const fits = validator(event, "output")(answer);
  let read = true;
  try {
    assertExpressible(readAnswer(event, JSON.stringify(answer)), event);
  } catch (error) {
    expect(error).toBeInstanceOf(HookFailure);
    read = false;
  }
  expect(read, `${event} ${JSON.stringify(answer)}`).toBe(fits);
  return read;
}

function agreement(answerOf: (fields: Fields) => Arbitrary<Json>, numRuns: number) {
  const seen = { accepted: 0, rejected: 0 };
  for (const event of EVENT_NAMES) {
    const contradictory = (answer: Json) => event === "stop" && (answer as JsonObject).halt === true;
    const answers = answerOf(answerFields(event)).filter((answer) => !contradictory(answer));
    fc.assert(
      fc.property(answers, (answer) => {
        seen[agree(event, answer) ? "accepted" : "rejected"]++;
      }),
      { numRuns },
    );
  }
  return seen;
}

function validAnswer(fields: Fields): Arbitrary<Json> {
  return fc.record(Object.fromEntries(Object.entries(fields).map(([name, { spec }]) => [name, validValue(spec)])), {
    requiredKeys: Object.keys(fields).filter((name) => !fields[name]?.optional),
    noNullPrototype: true,
  }) as Arbitrary<Json>;
}

function validValue(spec: Spec): Arbitrary<Json> {
  switch (spec.type) {
    case "string":
      return fc.string();
    case "boolean":
      return fc.boolean();
    case "integer":
      return fc.nat();
    case "json":
      return fc.jsonValue({ maxDepth: 2 }) as Arbitrary<Json>;
    case "enum":
      return fc.constantFrom(...spec.values);
    case "nullable":
      return fc.oneof(fc.constant(null), { arbitrary: validValue(spec.of), weight: 3 });
    case "list":
      return fc.array(validValue(spec.of), { maxLength: 3 });
    case "map":
      return fc.dictionary(fc.string(), validValue(spec.of), { maxKeys: 3, noNullPrototype: true });
    case "object":
      return validAnswer(spec.fields);
  }
}

/** A valid answer with one thing wrong at some depth: a value of another kind, a key too many, too few, or misspelt. */
function nearAnswer(fields: Fields): Arbitrary<Json> {
  const strange = fc.constantFrom<Json>(null, 0, -1, 1.5, "", "block", "deny", "ask", true, [], {}, "stop", ["block"]);
  const key = fc.constantFrom(
    "decision",
    "continue",
    "hookEventName",
    "additional_context",
    "x",
    "__proto__",
    "reason",
  );
  const damage = fc.record({ at: fc.nat(), how: fc.constantFrom("put", "add", "drop", "rename"), strange, key });
  return fc.tuple(validAnswer(fields), damage).map(([answer, { at, how, strange, key }]) => {
    const objects = objectsIn(answer);
    const target = objects[at % objects.length];
    const rebuild = (value: Json): Json => {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
      const entries = Object.entries(value).map(([name, item]): [string, Json] => [name, rebuild(item)]);
      if (value !== target) return Object.fromEntries(entries);
      const index = entries.length === 0 ? 0 : at % entries.length;
      const [name, item] = entries[index] ?? [key, strange];
      const rest = entries.filter((_, position) => position !== index);
      const changed: { [how: string]: [string, Json][] } = {
        put: [...rest, [name, strange]],
        add: [...entries, [key, strange]],
        drop: rest,
        rename: [...rest, [key, item]],
      };
      return Object.fromEntries(changed[how] ?? entries);
    };
    return rebuild(answer);
  });
}

function objectsIn(value: Json): Json[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}
