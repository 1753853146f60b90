import { describe, expect, it } from "vitest";
import type { Native } from "./host.ts";
import { type Forms, renderWith } from "./render-forms.ts";

const FORMS: Forms = {
  told: () => ({ json: { said: true } }),
  empty: () => ({ json: {} }),
  plain: () => ({ stdout: "words" }),
  thrown: () => ({ stderr: "no", undelivered: ["the rest"] }),
};

const nativeOf = (event: string): Native => ({ event, payload: {}, events: [] });

describe("answers by forms", () => {
  const render = renderWith({ support: {} }, FORMS);

  it("JSON and plain words end with 0, a text on stderr with 2", () => {
    expect(render(nativeOf("told"), [])).toEqual({ stdout: `{"said":true}`, stderr: "", exitCode: 0 });
    expect(render(nativeOf("plain"), [])).toEqual({ stdout: "words", stderr: "", exitCode: 0 });
    expect(render(nativeOf("thrown"), [])).toEqual({
      stdout: "",
      stderr: "no",
      exitCode: 2,
      undelivered: ["the rest"],
    });
  });

  it.each(["empty", "unknown", "toString", "__proto__"])("%s says nothing, in the host's own way", (event) => {
    expect(render(nativeOf(event), [])).toEqual({ stdout: "", stderr: "", exitCode: 0 });
    const silent = renderWith({ support: {}, silence: "{}" }, FORMS);
    expect(silent(nativeOf(event), []).stdout).toBe("{}");
  });

  it("a form is found under the spelling of the table", () => {
    const spelled = renderWith({ support: {}, spell: (name) => name.toLowerCase() }, FORMS);
    expect(spelled(nativeOf("Told"), []).stdout).toBe(`{"said":true}`);
  });
});
