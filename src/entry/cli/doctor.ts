/** `holdfast doctor`: what holds on each host, what does not, and the command that mends it. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { FORMATS, placesOf } from "../../config/places.ts";
import { readHeartbeats } from "../../engine/heartbeat.ts";
import { journalOf } from "../../engine/journals.ts";
import { readProof } from "../../engine/proofs.ts";
import { hostById } from "../../hosts/registry.ts";
import { readRecords } from "../../records/read.ts";
import { type Examined, examineHost } from "../doctor/examine-host.ts";
import { examineRules } from "../doctor/examine-rules.ts";
import { type Finding, type Grade, note, warning } from "../doctor/finding.ts";
import { ensureClient } from "../native/ensure-client.ts";
import { removeLeftovers } from "../native/leftovers.ts";
import { type CommandCall, type ExitCode, textFlag } from "./command.ts";
import { searchHosts } from "./host-search.ts";
import { run as init } from "./init.ts";
import { type Colour, type Output, table } from "./output.ts";
import { isAgentShell } from "./person.ts";
import { type Project, projectOf, unknownHost } from "./registration.ts";

export async function run(call: CommandCall): Promise<ExitCode> {
  if (call.flags.fix) await fix(call);
  const { output } = call;
  const project = projectOf(call);
  const hosts = await examineHosts(call, project);
  const rules = [
    ...(await examineRules(call)),
    ...unheededFindings(call, project, hosts),
    ...(await leftoversOf(project)),
  ];
  const findings = [...rules, ...hosts.flatMap((host) => host.findings)];
  if (output.json) output.data({ projectDir: project.projectDir, rules, hosts });
  else print(rules, hosts, output);
  return findings.some(({ grade }) => grade === "error") ? 1 : 0;
}

/** Hosts that are in use and not registered say so themselves; here it is that there are none at all. */
function unheededFindings(call: CommandCall, { projectDir }: Project, hosts: readonly Examined[]): Finding[] {
  const hasRules = FORMATS.some((format) => existsSync(join(projectDir, `holdfast.${format}`)));
  if (!hasRules || call.flags.host || hosts.some(({ concerns }) => concerns)) return [];
  const text = "no agent is registered here: the rules hold only for programs that embed Holdfast";
  return [warning("registered", text, "holdfast init")];
}

async function leftoversOf({ stateDir }: Project): Promise<Finding[]> {
  return (await removeLeftovers(stateDir)).map(({ path, was }) => note("images", `removed ${path}: ${was}`));
}

async function examineHosts(call: CommandCall, project: Project): Promise<Examined[]> {
  const places = placesOf(call.env);
  const root = project.projectDir;
  const beats = readHeartbeats(root, places);
  const unknown = await unknownThings(call, project);
  const named = textFlag(call, "host");
  if (named !== undefined && !hostById(named)) throw unknownHost(named);
  const found = searchHosts({ ...project, env: call.env }).filter(
    ({ host }) => named === undefined || host.id === named,
  );
  const examined: Examined[] = [];
  for (const one of found) {
    const { id } = one.host;
    const evidence = {
      call,
      project,
      heartbeat: beats.find(({ host }) => host === id),
      proof: readProof(id, root, places),
      unknown: unknown.filter(({ host }) => host === id).map(({ message }) => message),
    };
    examined.push(await examineHost(one, evidence));
  }
  return examined;
}

interface Unknown {
  readonly host: string;
  readonly message: string;
}

/** Tools and events that hosts had and adapters did not know, each once. */
async function unknownThings({ env }: CommandCall, { projectDir }: Project): Promise<Unknown[]> {
  const journal = journalOf("notices", { root: projectDir }, placesOf(env));
  const seen = new Map<string, Unknown>();
  for await (const record of readRecords(journal)) {
    const { code, host, message } = record as { code?: string; host?: string; message?: string };
    if (code?.startsWith("unknown-") && host && message) seen.set(message, { host, message });
  }
  return [...seen.values()];
}

/** Registers again where another version, or somebody's hand, is in the way, and where an agent is in use without us. */
async function fix(call: CommandCall): Promise<void> {
  const project = projectOf(call);
  // First, so that a registration without the client counts as outdated.
  const isAgent = isAgentShell(call.env);
  await ensureClient({ distDir: call.distDir, stateDir: project.stateDir }, call.env, { isAgent });
  const hosts = (await examineHosts(call, project)).filter(({ concerns }) => concerns);
  const missing = hosts.filter(({ findings }) =>
    findings.some(({ check, grade }) => check === "registered" && grade === "warning"),
  );
  const untrusted = hosts.filter(({ findings }) =>
    findings.some(({ check, grade }) => check === "trusted" && grade === "error"),
  );
  const wanted = new Map<string, Set<string>>();
  const want = (level: string, id: string) => wanted.set(level, (wanted.get(level) ?? new Set()).add(id));
  for (const { host, outdated } of hosts) for (const level of outdated) want(level, host);
  for (const { host } of [...missing, ...untrusted]) want("project", host);
  for (const [level, ids] of wanted) {
    const { yes } = call.flags;
    const flags = { hosts: [...ids].join(","), yes, ...(level === "project" ? {} : { [level]: true }) };
    await init({ ...call, flags, output: quiet(call.output) });
  }
}

/** What is mended is told by the examination that follows. */
const quiet = (output: Output): Output => ({
  ...output,
  data: () => {},
  line: (text) => output.json || output.line(text),
});

const MARKS: Readonly<Record<Grade, readonly [Colour, string]>> = {
  good: ["green", "ok"],
  note: ["dim", "note"],
  warning: ["yellow", "warn"],
  error: ["red", "error"],
};

function print(rules: readonly Finding[], hosts: readonly Examined[], output: Output): void {
  printFindings("Holdfast", rules, output);
  for (const { title, findings } of hosts.filter(({ concerns }) => concerns)) printFindings(title, findings, output);
  const others = hosts.filter(({ concerns }) => !concerns).map(({ title }) => title);
  if (others.length > 0) output.line(output.paint("dim", `not here: ${others.join(", ")}`));
  const all = [...rules, ...hosts.flatMap(({ findings }) => findings)];
  const count = (grade: Grade) => all.filter((finding) => finding.grade === grade).length;
  const [errors, warnings] = [count("error"), count("warning")];
  output.line(
    errors + warnings === 0 ? output.paint("green", "all is well") : `${errors} error(s), ${warnings} warning(s)`,
  );
}

function printFindings(title: string, findings: readonly Finding[], output: Output): void {
  output.line(output.paint("bold", title));
  const rows = findings.map(({ check, grade, text }) => {
    const [colour, mark] = MARKS[grade];
    return [`  ${output.paint(colour, mark)}`, check, text];
  });
  const lines = table(rows);
  for (const [index, { fix: command }] of findings.entries()) {
    output.line(lines[index]);
    if (command) output.line(`         ${output.paint("cyan", command)}`);
  }
  output.line();
}
