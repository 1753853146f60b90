import { expect, it } from "vitest";
import { placesOf } from "../../config/places.ts";
import { isOwnFile } from "./definitions.ts";

it("a path that leads out of the person's directory is none of their own files", () => {
  const env = { HOME: "/home/ada", HOLDFAST_CONFIG_DIR: "/home/ada/config" };
  const { userDir } = placesOf(env);
  expect(isOwnFile(`${userDir}/hooks/a.mjs`, env)).toBe(true);
  expect(isOwnFile(`${userDir}/../repository/evil.mjs`, env)).toBe(false);
});
