import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ScratchMachine, scratchMachine } from "./config.fixture.ts";

let machine: ScratchMachine;
beforeEach(() => {
  machine = scratchMachine();
});
afterEach(() => machine.remove());

const project = (text: string) => machine.write("work/project/holdfast.yaml", text);
const user = (text: string) => machine.write("user/holdfast.yaml", text);
const managed = (text: string) => machine.write("managed/holdfast.yaml", text);
const knowledge = async () => (await machine.compile()).plan.settings.knowledge;
const errors = async () =>
  (await machine.compile()).errors.map(({ code, message, fix, place }) => ({ code, message, fix, place }));

describe("knowledge: in the config", () => {
  it("N-53 without a section, or with one that does not switch it on, a plan holds nothing of knowledge", async () => {
    expect(await knowledge()).toBeUndefined();
    project("knowledge: { curation_threshold: 3 }\n");
    expect(await knowledge()).toBeUndefined();
  });

  it("N-53 A13-17 an unknown key is an error that names the file, the line and the key that was meant", async () => {
    const file = project("knowledge:\n  enabled: true\n  curation_treshold: 3\n");
    expect(await errors()).toEqual([
      expect.objectContaining({
        code: "HF202",
        fix: "did you mean curation_threshold?",
        place: expect.objectContaining({ file, line: 3 }),
      }),
    ]);
  });

  it("N-53 an unknown key of an inner section is an error with the key that was meant", async () => {
    project("knowledge: { enabled: true, prompt_context: { max_node: 3 } }\n");
    expect((await errors())[0]).toMatchObject({ code: "HF202", fix: "did you mean max_nodes?" });
  });

  it("N-53 YAML that cannot be read is an error that names the file", async () => {
    const file = project("knowledge: { enabled: true\n");
    expect((await errors())[0]).toMatchObject({ code: "HF102", place: { file } });
  });

  it("the file nearest to the work has the last word on numbers", async () => {
    user("knowledge: { enabled: true, curation_threshold: 30, overdue_days: 3 }\n");
    project("knowledge: { curation_threshold: 5 }\n");
    expect(await knowledge()).toMatchObject({ curation_threshold: 5, overdue_days: 3 });
  });

  it("what a person switched off, no project switches on again", async () => {
    user("knowledge: { enabled: false }\n");
    project("knowledge: { enabled: true }\n");
    expect(await knowledge()).toBeUndefined();
  });

  it("A13-12 a project cannot switch on what costs money, and may switch it off", async () => {
    project("knowledge: { enabled: true, drain: { enabled: true } }\n");
    expect((await errors())[0]).toMatchObject({ code: "HF209" });
    user("knowledge: { drain: { enabled: true, model: small } }\n");
    project("knowledge: { enabled: true, drain: { enabled: false } }\n");
    expect(await errors()).toEqual([]);
    expect(await knowledge()).toMatchObject({ drain: { enabled: false, model: "small" } });
  });

  it("A13-16 a project cannot have secrets written down", async () => {
    project("knowledge: { enabled: true, secrets: keep }\n");
    expect((await errors())[0]).toMatchObject({ code: "HF209" });
  });

  it("an organisation that has secrets masked is not overruled by a person who keeps them", async () => {
    managed("knowledge: { secrets: redact }\n");
    user("knowledge: { enabled: true, secrets: keep }\n");
    expect(await knowledge()).toMatchObject({ secrets: "redact" });
  });

  it("what the organisation lets a drain spend is the most, and a person may spend less", async () => {
    managed("knowledge: { drain: { runs_per_day: 5, timeout_sec: 60 } }\n");
    user("knowledge: { enabled: true, drain: { enabled: true, runs_per_day: 50, timeout_sec: 20 } }\n");
    expect(await knowledge()).toMatchObject({ drain: { runs_per_day: 5, timeout_sec: 20 } });
  });
});
