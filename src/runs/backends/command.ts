/** Any program as a backend: it is given the prompt and edits tasks with `holdfast task …`, as every agent does. */
import { writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { HoldfastError } from "../../core/errors.ts";
import { makeDirectory } from "../../files/make-directory.ts";
import type { Backend } from "../backend.ts";
import { commandOf } from "./program-backend.ts";
import { runProgram } from "./program-process.ts";

const ID = "command";

export const commandBackend: Backend = {
  id: ID,
  isPassive: false,
  canResume: false,
  probe: async () => ({ ok: true, version: "" }),
  async invoke({ prompt, settings, env, outputFile, signal, timeoutMs, onProgress, onProcess }) {
    const command = commandOf({ id: ID, command: [] }, settings.backendConfig);
    if (command.length === 0) {
      throw new HoldfastError("HF1043", "the backend command has no command to run", {
        hint: "set it in the agent: backendConfig: { command: [sh, ./work.sh] }",
      });
    }
    const promptFile = `${outputFile}.prompt.md`;
    makeDirectory(dirname(promptFile), 0o700);
    writeFileSync(promptFile, prompt, { mode: 0o600 });
    const end = await runProgram({
      argv: [...command, ...settings.backendArgs],
      ...{ cwd: settings.cwd, stdin: prompt, outputFile, signal, timeoutMs },
      env: {
        ...env,
        HOLDFAST_PROMPT_FILE: promptFile,
        ...(settings.model === null ? {} : { HOLDFAST_MODEL: settings.model }),
        ...(settings.effort === null ? {} : { HOLDFAST_EFFORT: settings.effort }),
      },
      onLine: onProgress,
      onRemark: onProgress,
      onProcess,
    });
    return { ...end, session: null, transcript: end.stdout.trimEnd(), isSessionUnknown: false };
  },
};
