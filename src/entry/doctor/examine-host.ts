/** One host looked at from all sides: is it there, are we in it, are we heeded, were we called, is it proven. */

import type { Heartbeat } from "../../engine/heartbeat.ts";
import type { Proof } from "../../engine/proofs.ts";
import { VERSION } from "../../engine/version.ts";
import { type FileEdit, type Host, type InstallTarget, LEVELS, type Level } from "../../hosts/host.ts";
import type { HostProgram } from "../../hosts/program.ts";
import { programById } from "../../hosts/programs.ts";
import type { CommandCall } from "../cli/command.ts";
import type { FoundHost } from "../cli/host-search.ts";
import { compareVersions, versionOf } from "../cli/host-version.ts";
import { near } from "../cli/output.ts";
import { type Registered, registeredState } from "../cli/registered.ts";
import { type Project, type Registration, registrations } from "../cli/registration.ts";
import { type Finding, failure, good, note, warning } from "./finding.ts";
import { latencyFinding } from "./latency.ts";
import { otherHooks } from "./other-hooks.ts";
import { askOwnCheck } from "./own-check.ts";

export interface Examined {
  readonly host: string;
  readonly title: string;
  /** Installed, used or registered here; the others are not worth a word. */
  readonly concerns: boolean;
  readonly findings: readonly Finding[];
  readonly isRegistered: boolean;
  /** The levels on which the registration is not as it should be. */
  readonly outdated: readonly Level[];
}

export interface Evidence {
  readonly call: CommandCall;
  readonly project: Project;
  readonly heartbeat: Heartbeat | undefined;
  readonly proof: Proof | undefined;
  /** What this host did that the adapter does not know. */
  readonly unknown: readonly string[];
}

export async function examineHost(found: FoundHost, evidence: Evidence): Promise<Examined> {
  const { host, inProject, program: path } = found;
  const { call, project } = evidence;
  const program = programById(host.id) as HostProgram;
  const levels = distinctLevels(registrations(call, project, [host.id], LEVELS));
  const present = levels.filter(({ state }) => state.state !== "absent");
  const readable = present.filter(({ state }) => state.state !== "broken");
  const isRegistered = present.length > 0;
  const concerns = path !== undefined || inProject.length > 0 || isRegistered;
  const version = path === undefined ? undefined : await versionOf(path, call.env);
  const outdated = present
    .filter(({ state }) => state.state === "outdated")
    .map(({ registration }) => registration.target.level);
  if (!concerns) return { host: host.id, title: host.title, concerns, findings: [], isRegistered, outdated };
  const findings = [
    installedFinding(found, program, version),
    ...registeredFindings(host, present, call, program),
    ...(present.length === 0
      ? []
      : [
          ...trustFindings(program, readable),
          ...(path === undefined ? [] : await askOwnCheck(program, path, evidence)),
          ...readable.flatMap(({ registration }) => otherHooks(host, program, registration)),
          firedFinding(host, evidence.heartbeat, program.offline !== undefined && path !== undefined),
          ...(path === undefined ? [] : [provenFinding(host, program, version, evidence.proof)]),
          await latencyFinding(host, present[0]?.registration.target as InstallTarget, call.distDir),
        ]),
    ...evidence.unknown.map((text) =>
      warning("unknown", text, "holdfast notices shows when; a newer Holdfast may know it"),
    ),
  ];
  return { host: host.id, title: host.title, concerns, findings, isRegistered, outdated };
}

interface AtLevel {
  readonly registration: Registration;
  readonly state: Registered;
}

/** Some hosts keep two levels in one file: the first stands for both. */
function distinctLevels(all: readonly Registration[]): AtLevel[] {
  const seen = new Set<string>();
  return all.flatMap((registration) => {
    const paths = pathsOf(registration).join("\n");
    if (paths === "" || seen.has(paths)) return [];
    seen.add(paths);
    return [{ registration, state: registeredState(registration) }];
  });
}

function pathsOf({ install, target }: Registration): string[] {
  try {
    const hooks = install.edits(target).filter(({ role }: FileEdit) => role !== "mcp");
    return hooks.map(({ path }) => path);
  } catch {
    return [];
  }
}

function installedFinding(
  { host, inProject, program: path }: FoundHost,
  program: HostProgram,
  version?: string,
): Finding {
  if (path !== undefined) return good("installed", `${version ?? "version unknown"}, ${path}`);
  const why = inProject.length > 0 ? `, though the project has ${inProject.join(", ")}` : "";
  return note(
    "installed",
    `${program.commands.join(", ")} is not on the PATH${why}`,
    `install ${host.title}, or leave it`,
  );
}

function registeredFindings(
  host: Host,
  present: readonly AtLevel[],
  { cwd }: CommandCall,
  program: HostProgram,
): Finding[] {
  if (present.length === 0) {
    return [warning("registered", "the rules do not hold here: not registered", `holdfast init --hosts ${host.id}`)];
  }
  const each = present.map(({ registration, state }) => {
    const { level } = registration.target;
    const flag = level === "project" ? "" : ` --${level}`;
    const files = state.files.map((file) => near(file, cwd)).join(", ");
    const command = `holdfast init${flag} --hosts ${host.id}`;
    if (state.state === "registered") return good("registered", `${level}: ${files}`);
    if (state.state === "broken")
      return failure("registered", `${level}: ${state.problem}`, `fix the file, then ${command}`);
    return failure("registered", `${level}: ${files} holds another version of us, or was changed`, command);
  });
  const [first, second] = present.map(({ registration }) => registration.target.level);
  if (second === undefined || program.mergesEqualHooks) return each;
  const twice = `registered twice (${first}, ${second}): every call is judged two times`;
  return [...each, warning("registered", twice, `holdfast uninstall --${second} --hosts ${host.id}`)];
}

function trustFindings(program: HostProgram, present: readonly AtLevel[]): Finding[] {
  return present.flatMap(({ registration }) => {
    const trust = program.trust?.(registration.target);
    if (!trust) return [];
    return trust.state === "trusted"
      ? [good("trusted", "the host heeds it")]
      : [failure("trusted", trust.why, trust.fix)];
  });
}

function firedFinding(host: Host, beat: Heartbeat | undefined, isProvable: boolean): Finding {
  const orProve = isProvable ? `, or: holdfast verify --host ${host.id}` : "";
  if (!beat) return note("last called", "never in this project", `start a session${orProve}`);
  const text = `${new Date(beat.at).toLocaleString()} in session ${beat.session || "(unnamed)"}`;
  if (beat.version === VERSION) return good("last called", text);
  return warning(
    "last called",
    `${text}, by Holdfast ${beat.version}; this is ${VERSION}`,
    `holdfast init --hosts ${host.id}`,
  );
}

function provenFinding(host: Host, program: HostProgram, version = "", proof: Proof | undefined): Finding {
  const command = `holdfast verify --host ${host.id}`;
  if (!program.offline) return note("proven", "known from its documentation only: it cannot be run offline");
  if (proof?.version === version && proof.proven) {
    return good("proven", `on this machine, ${new Date(proof.at).toLocaleString()}`);
  }
  if (proof && !proof.proven && proof.version === version) return failure("proven", "the last proof failed", command);
  const age = compareVersions(version, host.provenVersion);
  if (age === "same") return good("proven", `version ${version} is the one Holdfast is tested on`);
  const text = `tested on ${host.provenVersion}, and this is ${version || "unknown"}`;
  return age === "newer" ? warning("proven", text, command) : note("proven", text, command);
}
