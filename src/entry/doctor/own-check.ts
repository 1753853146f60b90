/** The host's own opinion of its settings, where it has a way to say it. */
import { spawn } from "node:child_process";
import type { HostProgram } from "../../hosts/program.ts";
import type { Evidence } from "./examine-host.ts";
import { type Finding, failure, good, note } from "./finding.ts";

const PATIENCE_MS = 20_000;

export async function askOwnCheck(
  { ownCheck }: HostProgram,
  path: string,
  { call, project }: Pick<Evidence, "call" | "project">,
): Promise<Finding[]> {
  if (!ownCheck) return [];
  const said = await ask(path, ownCheck.args, ownCheck.stdin ?? "", project.projectDir, call.env);
  if (said === undefined) return [note("valid", "the host's own check did not answer")];
  const problems = ownCheck.problems(said);
  return problems.length === 0
    ? [good("valid", "by the host's own check")]
    : problems.map((problem) =>
        failure("valid", `the host says: ${problem}`, "fix that file, then run holdfast doctor again"),
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
  args: readonly string[],
  stdin: string,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Said | undefined> {
  return new Promise((resolve) => {
    const child = spawn(path, args, { cwd, env: { ...env, HOLDFAST_INTERNAL: "1" }, timeout: PATIENCE_MS });
    const chunks = { stdout: "", stderr: "" };
    child.stdout.on("data", (chunk: Buffer) => (chunks.stdout += chunk));
    child.stderr.on("data", (chunk: Buffer) => (chunks.stderr += chunk));
    child.on("error", () => resolve(undefined));
    child.on("close", (exitCode, signal) => resolve(signal ? undefined : { ...chunks, exitCode }));
    child.stdin.on("error", () => {});
    child.stdin.end(stdin);
  });
}
