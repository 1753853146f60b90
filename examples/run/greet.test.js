import assert from "node:assert";
import { test } from "node:test";
import { greet } from "./greet.js";

test("greets by name", () => assert.equal(greet("Ann"), "Hello Ann"));
