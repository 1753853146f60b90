/** The hosts that can be asked without a terminal and without tools: backends of runs, with everything taken away. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HoldfastError } from "../../core/errors.ts";
import { GUARD } from "../../knowledge/background/launch.ts";
import type { ModelHost, ModelHosts, Question } from "../../knowledge/drain/model-host.ts";
import type { AttemptResult } from "../../runs/backend.ts";
import { type ProgramRow, programBackend } from "../../runs/backends/program-backend.ts";
import { PROGRAM_ROWS } from "../../runs/backends/registry.ts";
import { TOOLS_OFF } from "./tools-off.ts";

export function modelHosts(env: NodeJS.ProcessEnv): ModelHosts {
  return (id) => {
    const row = PROGRAM_ROWS.find((row) => row.id === id);
    return row && id in TOOLS_OFF ? modelHost(row, env) : undefined;
  };
}

function modelHost(row: ProgramRow, env: NodeJS.ProcessEnv): ModelHost {
  return {
    id: row.id,
    title: row.title,
    async ask(question) {
      const directory = mkdtempSync(join(tmpdir(), "holdfast-ask-"));
      try {
        return answerIn(await askIn(directory, row, question, env), row, question);
      } finally {
        rmSync(directory, { recursive: true, force: true });
      }
    },
  };
}

function askIn(directory: string, row: ProgramRow, question: Question, env: NodeJS.ProcessEnv) {
  const { args, env: more, files = {} } = TOOLS_OFF[row.id]?.(directory) ?? { args: [] };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text, { mode: 0o600 });
  // A repository of its own: programs look upwards for one, and for what it says to them.
  mkdirSync(join(directory, ".git"));
  const { prompt, model, outputFile, timeoutMs, signal } = question;
  return programBackend({ ...row, permissions: { unrestricted: args, restricted: args } }).invoke({
    ...{ prompt, outputFile, timeoutMs, signal, session: null },
    env: { ...env, ...more, [GUARD.name]: GUARD.value },
    settings: {
      ...{ cwd: directory, backend: row.id, model: model ?? null, effort: null, timeoutSec: timeoutMs / 1000 },
      ...{ unrestricted: false, maxRetries: 0, message: null, backendConfig: {}, backendArgs: [] },
    },
    onProgress() {},
    onSession() {},
    onProcess() {},
  });
}

const STDERR_TAIL = 2_000;

function answerIn(result: AttemptResult, { title }: ProgramRow, { timeoutMs, signal }: Question): string {
  const { exitCode, isTimedOut, isAborted, transcript } = result;
  if (isTimedOut) throw failed(`${title} gave no answer within ${Math.round(timeoutMs / 1000)} s and was ended`);
  if (isAborted)
    throw failed(`${title} was ended: ${signal.reason instanceof Error ? signal.reason.message : "aborted"}`);
  if (exitCode !== 0) throw failed(`${title} ended with ${exitCode ?? result.signal}: ${lastWords(result)}`);
  if (transcript.trim() === "") throw failed(`${title} ended without a word: ${lastWords(result)}`);
  return transcript;
}

const lastWords = ({ stderr, stdout }: AttemptResult) =>
  (stderr.trim() || stdout.trim()).slice(-STDERR_TAIL) || "it said nothing";

const failed = (message: string) => new HoldfastError("HF1134", message);
