import { chmodSync } from "node:fs";
import { delimiter, dirname } from "node:path";
import { plantSeeds, startModelFor } from "../../src/proof/offline-run.ts";
import type { ModelScript } from "../../src/proof/script.ts";
import type { ScriptedModel } from "../../src/proof/scripted-model.ts";
import { PROGRAM_ROWS } from "../../src/runs/backends/registry.ts";
import { offlineProgram } from "./guarded-host.ts";
import { holdfastEnvironment } from "./holdfast.ts";
import { type HostName, installedHost } from "./installed-host.ts";
import type { Scratch } from "./scratch.ts";

export interface HostOnPath {
  readonly model: ScriptedModel;
  /** With the real program first on the PATH, under its own name, and the scripted model behind it. */
  readonly env: NodeJS.ProcessEnv;
}

/** Flags that take the program to the scripted model: a person has them in settings of their own. */
const PROVIDER_FLAGS: Partial<Readonly<Record<HostName, readonly string[]>>> = {
  codex: ["-c"],
  "claude-code": ["--model"],
  gemini: ["-m"],
};

/** The real program as a person has it installed: started by its bare name. */
export async function hostOnPath(host: HostName, scratch: Scratch, script: ModelScript): Promise<HostOnPath> {
  const offline = offlineProgram(host);
  const model = await startModelFor(offline, script);
  const { command, path } = await installedHost(host);
  const place = { modelUrl: model.url, homeDir: scratch.home, projectDir: scratch.projectDir, prompt: "" };
  const { args, env, seeds } = offline.run(place);
  plantSeeds(seeds);
  const flags = args.flatMap((arg, index) => (PROVIDER_FLAGS[host]?.includes(arg) ? [arg, args[index + 1] ?? ""] : []));
  const name = PROGRAM_ROWS.find(({ id }) => id === host)?.command[0] ?? host;
  const words = [...command, ...flags].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
  const program = await scratch.write(`bin/${name}`, `#!/bin/sh\nexec ${words} "$@"\n`);
  chmodSync(program, 0o755);
  return {
    model,
    env: {
      HOME: scratch.home,
      PATH: [dirname(program), path].join(delimiter),
      TERM: "dumb",
      ...holdfastEnvironment(scratch),
      ...env,
    },
  };
}
