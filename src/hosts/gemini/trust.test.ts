import { expect, it } from "vitest";
import { targetOf } from "../install-conformance.fixture.ts";
import { trust } from "./trust.ts";

const FOLDERS = "/home/user/.gemini/trustedFolders.json";
const USER = "/home/user/.gemini/settings.json";
const PROJECT = "/project/.gemini/settings.json";

const trustWith = (files: Readonly<Record<string, string>>) => trust(targetOf({ readFile: (path) => files[path] }));

it.each([
  [{ [FOLDERS]: `{"/project":"TRUST_FOLDER"}` }],
  [{ [FOLDERS]: `{"/": "TRUST_FOLDER" /* all */}` }],
  [{ [FOLDERS]: `{"/project/sub":"TRUST_PARENT"}` }],
  [{ [FOLDERS]: `{"/":"DO_NOT_TRUST","/project":"TRUST_FOLDER"}` }],
  [{ [USER]: `{"security":{"folderTrust":{"enabled":false}}} // mine` }],
])("%j: trusted", (files) => {
  expect(trustWith(files)).toEqual({ state: "trusted" });
});

it.each([
  [{}, "does not name /project"],
  [{ [FOLDERS]: `{"/proj":"TRUST_FOLDER"}` }, "does not name /project"],
  [{ [FOLDERS]: `{"/":"TRUST_FOLDER","/project":"DO_NOT_TRUST"}` }, "says not to trust /project"],
  [{ [PROJECT]: `{"security":{"folderTrust":{"enabled":false}}}` }, "does not name /project"],
  [{ [FOLDERS]: "{" }, "does not start"],
  [{ [FOLDERS]: `{"/":"TRUST_FOLDER"}`, [USER]: `{"hooksConfig":{"enabled":false}}` }, "hooksConfig.enabled"],
  [{ [FOLDERS]: `{"/":"TRUST_FOLDER"}`, [PROJECT]: `{"hooksConfig":{"disabled":["holdfast"]}}` }, "disabled"],
])("%j: untrusted, because %s", (files, why) => {
  expect(trustWith(files)).toMatchObject({ state: "untrusted", why: expect.stringContaining(why) });
});

it("what to do about it is said to the letter", () => {
  expect(trustWith({})).toMatchObject({ fix: expect.stringContaining(`"/project": "TRUST_FOLDER" into ${FOLDERS}`) });
});
