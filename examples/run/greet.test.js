const assert = require("node:assert");
const { test } = require("node:test");
const { greet } = require("./greet.js");

test("greets by name", () => assert.equal(greet("Ann"), "Hello Ann"));
