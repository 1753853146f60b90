import { expect, it } from "vitest";
import { ownPath } from "./own-path.ts";

it.each([
  ["/history?q=a", "/history?q=a"],
  [undefined, "/"],
  ["https://elsewhere.example/", "/"],
  ["//elsewhere.example/", "/"],
  ["/\\elsewhere.example", "/"],
  ["/.//elsewhere.example", "/"],
  ["/a/..//elsewhere.example", "/"],
  ["javascript:alert(1)", "/"],
])("X-7 the way back after a form or a sign-in is a path of ours: %s leads to %s", (wanted, path) => {
  expect(ownPath(wanted, "http://127.0.0.1:1234")).toBe(path);
});
