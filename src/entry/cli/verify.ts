/** `holdfast verify`: starts the real host programs against a scripted model and looks whether the rules held. */
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { placesOf } from "../../config/places.ts";
import { HoldfastError } from "../../core/errors.ts";
import { saveProof } from "../../engine/proofs.ts";
import { VERSION } from "../../engine/version.ts";
import { makeDirectory } from "../../files/make-directory.ts";
import { type FileEdit, type Host, LEVELS } from "../../hosts/host.ts";
import type { HostProgram } from "../../hosts/program.ts";
import { programById } from "../../hosts/programs.ts";
import { hostById } from "../../hosts/registry.ts";
import { type CanaryResult, sendCanary } from "../../proof/canary.ts";
import { cleanPath } from "../../proof/host-process.ts";
import { dismissDaemon } from "../daemon/dismiss.ts";
import { type CommandCall, type ExitCode, textFlag } from "./command.ts";
import { searchHosts } from "./host-search.ts";
import { versionOf } from "./host-version.ts";
import { registeredState } from "./registered.ts";
import { knownHosts, type Project, projectOf, type Registration, registrations, unknownHost } from "./registration.ts";

export async function run(call: CommandCall): Promise<ExitCode> {
  const { output } = call;
  const project = projectOf(call);
  const subjects = subjectsOf(call, project);
  const results: Verified[] = [];
  for (const subject of subjects) {
    if (!output.json && process.stderr.isTTY) output.note(output.paint("dim", `${subject.host.title} …`));
    const verified = await verifyHost(subject, call, project);
    results.push(verified);
    if (!output.json) print(verified, call);
  }
  if (output.json) output.data(results.map(({ story: _story, ...rest }) => rest));
  return results.every(({ proven }) => proven) ? 0 : 1;
}

interface Subject {
  readonly host: Host;
  readonly program: HostProgram;
  readonly command: string;
  readonly registered: readonly Registration[];
}

interface Verified {
  readonly host: string;
  readonly version: string;
  readonly proven: boolean;
  readonly checks: CanaryResult["checks"];
  readonly seconds: number;
  readonly story: string;
}

/** The host that is named; else all that are registered, installed and able to run offline. */
function subjectsOf(call: CommandCall, project: Project): Subject[] {
  const named = textFlag(call, "host");
  if (named !== undefined && !knownHosts().includes(named)) {
    throw unknownHost(named);
  }
  const found = searchHosts({ ...project, env: call.env });
  const subjects = found.flatMap(({ host, program: command }): Subject[] => {
    if (named !== undefined && host.id !== named) return [];
    const program = programById(host.id) as HostProgram;
    const registered = registrations(call, project, [host.id], LEVELS).filter(
      (registration) => registeredState(registration).state === "registered",
    );
    if (named !== undefined) assertVerifiable(host, program, command, registered);
    const usable = program.offline && command !== undefined && registered.length > 0;
    return usable ? [{ host, program, command: textFlag(call, "program") ?? command, registered }] : [];
  });
  if (subjects.length > 0) return subjects;
  throw new HoldfastError("HF403", "no agent here is both installed and registered", {
    hint: "holdfast init registers; holdfast doctor says what is missing",
  });
}

function assertVerifiable(
  host: Host,
  { offline, commands }: HostProgram,
  command: string | undefined,
  registered: readonly Registration[],
): void {
  if (!offline) {
    throw new HoldfastError("HF403", `${host.title} needs an account and a network: it cannot be proven here`, {
      hint: "what it does is known from its documentation only; holdfast hosts marks it so",
    });
  }
  if (command === undefined)
    throw new HoldfastError("HF403", `${host.title} is not on the PATH (${commands.join(", ")})`);
  if (registered.length === 0) {
    throw new HoldfastError("HF403", `Holdfast is not registered with ${host.title} here`, {
      hint: `run: holdfast init --hosts ${host.id}`,
    });
  }
}

async function verifyHost(subject: Subject, call: CommandCall, project: Project): Promise<Verified> {
  const { host, program, command, registered } = subject;
  const { offline } = program;
  if (!offline) throw new HoldfastError("HF403", `${host.title} cannot be run offline`);
  const scratchDir = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-verify-")));
  try {
    const homeDir = join(scratchDir, "home");
    carryRegistration(registered, program, project.homeDir, homeDir);
    const configDir = join(scratchDir, "config");
    const env = {
      HOLDFAST_CONFIG_DIR: configDir,
      HOLDFAST_STATE_DIR: join(scratchDir, "state"),
      HOLDFAST_RECORDS_DIR: join(scratchDir, "records"),
    };
    const version = (await versionOf(command, call.env)) ?? "unknown";
    const { checks, seconds, story } = await sendCanary({
      command: [command],
      program: offline,
      host,
      nonce: `canary${randomBytes(6).toString("hex")}`,
      projectDir: project.projectDir,
      homeDir,
      scratchDir,
      configDir,
      trustAsIs: true,
      env,
      // The program itself may be a script for an interpreter that is only on the person's PATH.
      path: [dirname(command), call.env.PATH ?? cleanPath].join(delimiter),
      timeoutMs: 120_000,
    });
    const proven = checks.every((check) => check.proven);
    const at = new Date().toISOString();
    saveProof({ host: host.id, root: project.projectDir, version, holdfast: VERSION, at, proven }, placesOf(call.env));
    return { host: host.id, version, proven, checks, seconds, story };
  } finally {
    await dismissDaemon(call.distDir, { ...call.env, HOLDFAST_STATE_DIR: join(scratchDir, "state") });
    rmSync(scratchDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

/** Our part of what lies in the person's home, and nothing else of it: their registration, and that they vouched for it. */
function carryRegistration(
  registered: readonly Registration[],
  program: HostProgram,
  realHome: string,
  homeDir: string,
): void {
  makeDirectory(homeDir, 0o700);
  for (const { install, target } of registered) {
    const trusted = program.trust === undefined || program.trust(target).state === "trusted";
    const edits = [...install.edits(target), ...(trusted ? (install.consents?.(target) ?? []) : [])];
    for (const edit of edits) carry(edit, realHome, homeDir);
  }
}

function carry({ path, add }: FileEdit, realHome: string, homeDir: string): void {
  const inside = relative(realHome, path);
  if (inside.startsWith("..") || inside === "") return;
  const copy = join(homeDir, inside);
  makeDirectory(dirname(copy), 0o700);
  writeFileSync(copy, add(existsSync(copy) ? readFileSync(copy, "utf8") : undefined), { mode: 0o600 });
}

function print({ host, version, proven, checks, seconds, story }: Verified, { output, flags }: CommandCall): void {
  const title = hostById(host)?.title ?? host;
  const verdict = proven ? output.paint("green", "proven") : output.paint("red", "not proven");
  output.line(`${verdict}  ${title} ${version}  (${seconds.toFixed(1)} s)`);
  for (const check of checks) {
    const mark = check.proven ? output.paint("green", "held  ") : output.paint("red", "failed");
    output.line(`  ${mark}  ${check.name}: ${check.seen}`);
  }
  if (!proven)
    output.line(`  next: holdfast doctor says what is missing; holdfast verify --host ${host} --story shows the run`);
  if (flags.story) for (const line of story.split("\n")) output.line(`  ${output.paint("dim", line)}`);
}
