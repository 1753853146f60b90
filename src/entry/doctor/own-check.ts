/** The host's own opinion of its settings, where it has a way to say it. */
import { spawn } from "node:child_process";
import type { HostProgram, OwnCheck } from "../../hosts/program.ts";
import type { Evidence } from "./examine-host.ts";
import { type Finding, failure, good, note } from "./finding.ts";

const PATIENCE_MS = 20_000;

export async function askOwnCheck(
  { ownCheck }: HostProgram,
  path: string,
  { call, project }: Pick<Evidence, "call" | "project">,
): Promise<Finding[]> {
  if (!ownCheck) return [];
  const said = await ask(path, ownCheck, project.projectDir, call.env);
  if (said === undefined) return [note("valid", "the host's own check did not answer")];
  const problems = ownCheck.problems(said);
  return problems.length === 0
    ? [good("valid", "by the host's own check")]
    : problems.map((problem) =>
        failure("valid", `the host says: ${problem}`, "mend what it names, then run holdfast doctor again"),
      );
}

interface Said {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
}

/** undefined: it could not be started, or did not end. */
function ask(
  path: string,
  { args, stdin = "", answered }: OwnCheck,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Said | undefined> {
  return new Promise((resolve) => {
    const child = spawn(path, args, { cwd, env: { ...env, HOLDFAST_INTERNAL: "1" }, timeout: PATIENCE_MS });
    const chunks = { stdout: "", stderr: "" };
    child.stdout.on("data", (chunk: Buffer) => {
      chunks.stdout += chunk;
      if (answered?.(chunks.stdout)) child.stdin.end();
    });
    child.stderr.on("data", (chunk: Buffer) => (chunks.stderr += chunk));
    child.on("error", () => resolve(undefined));
    child.on("close", (exitCode, signal) => resolve(signal ? undefined : { ...chunks, exitCode }));
    child.stdin.on("error", () => {});
    // A program that stops at the end of its input must first have had the time to answer.
    if (answered) child.stdin.write(stdin);
    else child.stdin.end(stdin);
  });
}
