/** A library that a caller's LD_PRELOAD puts into every program could answer in the client's place. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect } from "vitest";
import { it, type Machine } from "../program.ts";
import { BUILD_ID, canCompile, cleanUp, compileClient, compileLibrary } from "./client.fixture.ts";

afterAll(cleanUp);

/** Answers for the program that it is loaded into, and leaves a mark. */
const library = (mark: string) => `#include <stdio.h>
#include <unistd.h>
__attribute__((constructor)) static void answer(void) {
  FILE *file = fopen(${JSON.stringify(mark)}, "w");
  if (file) fclose(file);
  _exit(0);
}
`;

function askedWith(machine: Machine, client: string) {
  const mark = join(machine.dir, "mark");
  const preload = compileLibrary(machine.write("library.c", library(mark)));
  const env = { ...machine.env, LD_PRELOAD: preload };
  const { status, stdout, stderr } = spawnSync(client, ["--client-build-id"], { env, encoding: "utf8" });
  return { status, stdout, stderr, isLoaded: existsSync(mark) };
}

describe.skipIf(!canCompile || process.platform !== "linux")("a library in LD_PRELOAD", () => {
  it("is not loaded into the client as it is built, which says itself what it is", ({ machine }) => {
    const asked = askedWith(machine, compileClient("alone"));
    expect(asked).toEqual({ status: 0, stdout: `${BUILD_ID}\n`, stderr: "", isLoaded: false });
  });

  it("would be loaded into one that is linked with the system's libraries", ({ machine }) => {
    const asked = askedWith(machine, compileClient("linked", { flags: ["-O1"] }));
    expect(asked).toEqual({ status: 0, stdout: "", stderr: "", isLoaded: true });
  });
});
