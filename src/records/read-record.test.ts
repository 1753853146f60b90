import fc from "fast-check";
import { expect, it } from "vitest";
import { recordText } from "./chain.ts";
import { asRead, parseRecord } from "./read-record.ts";

const value = fc.oneof(
  fc.string(),
  fc.boolean(),
  fc.integer(),
  // Zero has one sign in JSON.
  fc.double().map((number) => number + 0),
  fc.constant(null),
  fc.constant(undefined),
  fc.array(fc.oneof(fc.string(), fc.integer())).map((list) => Object.freeze(list)),
  fc.array(fc.string()),
  fc.object(),
);
const key = fc.oneof(fc.string(), fc.constantFrom("seq", "prev", "hash", "paths", "tool_kind"));

it("a record that is taken for what its line says is just that", () => {
  fc.assert(
    fc.property(fc.dictionary(key, value, { noNullPrototype: true }), (record) => {
      const read = asRead(record);
      if (read) expect(read).toEqual(parseRecord(recordText(record)));
    }),
  );
});

it("the ledger's own records need no reading; a list that can still change does", () => {
  const entry = { event_id: "e", agent: null, success: true, duration_ms: 3 };
  const frozen = { ...entry, paths: Object.freeze(["a"]) };
  expect(asRead(frozen)).toEqual(frozen);
  // What was written may still be changed by whoever wrote it.
  expect(asRead(frozen)).not.toBe(frozen);
  expect(asRead({ ...entry, paths: ["a"] })).toBeUndefined();
  expect(asRead({ ...entry, duration_ms: Number.NaN })).toBeUndefined();
  expect(asRead({ ...entry, tool_use_id: undefined })).toBeUndefined();
});
