/** `holdfast init`: registers Holdfast with the hosts a person uses. Idempotent to the byte. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { FORMATS } from "../../config/places.ts";
import { HoldfastError } from "../../core/errors.ts";
import type { FileEdit, Level } from "../../hosts/host.ts";
import { programById } from "../../hosts/programs.ts";
import { hostById } from "../../hosts/registry.ts";
import { type Ensured, ensureClient, type Lacks } from "../native/ensure-client.ts";
import { type Leftover, removeLeftovers } from "../native/leftovers.ts";
import { askConsent, askHosts } from "./ask-person.ts";
import type { CommandCall, ExitCode } from "./command.ts";
import { isInUse, searchHosts } from "./host-search.ts";
import { assertForEverybody } from "./managed-program.ts";
import { near } from "./output.ts";
import { isAgentShell } from "./person.ts";
import {
  consentsOf,
  editsOf,
  hookProgram,
  namedHosts,
  namedLevel,
  type Project,
  projectOf,
  type Registration,
  registrations,
  showChange,
} from "./registration.ts";
import { additions, applyChange, assertWritable, type FileChange, isChange } from "./settings-files.ts";

export async function run(call: CommandCall): Promise<ExitCode> {
  const { output, flags } = call;
  const level = namedLevel(call) ?? "project";
  const project = projectOf(call);
  const { projectDir } = project;
  assertProject(level, project);
  const hosts = namedHosts(call) ?? (await chooseHosts(call, project));
  if (hosts === undefined) return 130;
  if (level === "managed") assertForEverybody(call.distDir, project);
  const client = level === "managed" ? undefined : await clientFor(hosts, call, project);
  const own = client && client.kind !== "none" ? client.file : hookProgram(call.distDir, project.stateDir);
  const registered = registrations(call, project, hosts, [level], own);
  const program = registered[0]?.target.program ?? own;
  // Files that everybody shares are not made for one person's registration.
  const shared = level === "project" ? [...starterConfig(projectDir), ...hookTypes(projectDir, call.distDir)] : [];
  const changes = additions([...editsOf(registered), ...shared]).filter(isChange);
  const consents = additions(consentsOf(registered, changes)).filter(isChange);
  const vouched = consents.length > 0 && (await isVouchedFor(consents, call));
  const all = vouched ? [...changes, ...consents] : changes;
  const dryRun = flags["dry-run"] === true;
  if (!dryRun) assertWritable(all);
  for (const change of changes) makeChange(change, call, project, "backup");
  // What a person vouches for is in a file that other projects share: its old bytes would take back their trust too.
  if (vouched) for (const change of consents) makeChange(change, call, project, "forget");
  const untrusted = vouched ? [] : untrustedOf(registered);
  const removed = await removeLeftovers(project.stateDir, { pretend: dryRun });
  if (output.json) {
    const listed = all.map(({ path, before }) => ({ path, created: before === undefined }));
    output.data({ hosts, projectDir, program, changes: listed, untrusted, removed, dryRun });
  } else {
    tellOfClient(call, client);
    tellOfLeftovers(call, removed);
    tell(call, hosts, all, untrusted);
  }
  return 0;
}

/** undefined: none of the hosts starts a program of ours. */
async function clientFor(hosts: readonly string[], { env, flags, distDir }: CommandCall, { stateDir }: Project) {
  if (hosts.every((id) => hostById(id)?.inProcess)) return undefined;
  return ensureClient({ distDir, stateDir }, env, { pretend: flags["dry-run"] === true, isAgent: isAgentShell(env) });
}

function tellOfClient({ output, flags, cwd }: CommandCall, client: Ensured | undefined): void {
  if (client === undefined) return;
  const lacks: Lacks = client.kind === "none" ? { client: client.why, image: "none was made" } : client.lacks;
  if (client.kind === "built") {
    const made = [lacks.client === undefined ? "the native client" : "the launcher"];
    if (lacks.image === undefined) made.push("an image of a loaded Node");
    const [word, colour] = flags["dry-run"] ? (["would build", "cyan"] as const) : (["built", "green"] as const);
    output.line(`${output.paint(colour, word)}  ${made.join(", with ")}, ${near(client.file, cwd)}`);
  }
  if (lacks.client !== undefined) {
    const time = lacks.image === undefined ? 45 : 75;
    output.line(`${output.paint("yellow", "no native client")}  ${lacks.client}: every call starts Node, which takes`);
    output.line(`                  some ${time} ms instead of 1; with a C compiler, run holdfast init again`);
  }
  if (client.kind !== "none" && lacks.image !== undefined) {
    output.line(
      `${output.paint("yellow", "no image of a loaded Node")}  ${lacks.image}: a call without a daemon takes`,
    );
    output.line("                           twice as long as with one");
  }
}

function tellOfLeftovers({ output, flags, cwd }: CommandCall, removed: readonly Leftover[]): void {
  const [word, colour] = flags["dry-run"] ? (["would remove", "cyan"] as const) : (["removed", "green"] as const);
  for (const { path, was } of removed) output.line(`${output.paint(colour, word)}  ${near(path, cwd)}: ${was}`);
}

function assertProject(level: Level, { projectDir, homeDir }: Project): void {
  if (level !== "project" || projectDir !== homeDir) return;
  throw new HoldfastError("HF701", "your home directory is no project: rules written there are never read", {
    hint: "run it in a project, or use --user to register for all of them",
  });
}

/** A person at a terminal picks; a script, or --yes, takes those in use. Where nothing tells, Claude Code. undefined: given up. */
async function chooseHosts(call: CommandCall, project: Project): Promise<readonly string[] | undefined> {
  const found = searchHosts({ ...project, env: call.env });
  const inUse = found.filter(isInUse).map(({ host }) => host.id);
  const taken = inUse.length > 0 ? inUse : ["claude-code"];
  if (isInteractive(call)) return askHosts(found, taken);
  if (inUse.length === 0 && !call.output.json)
    call.output.note("no agent was found here: registering Claude Code; --hosts names others");
  return taken;
}

const isInteractive = ({ flags, output }: CommandCall) =>
  !flags.yes && !flags["dry-run"] && !output.json && Boolean(process.stdin.isTTY && process.stdout.isTTY);

/** Only a person can vouch for what their agents run: --yes in an agent's shell does not. */
async function isVouchedFor(consents: readonly FileChange[], call: CommandCall): Promise<boolean> {
  if (isAgentShell(call.env)) return false;
  if (call.flags.yes) return true;
  return isInteractive(call) && askConsent(consents.map(({ path }) => near(path, call.cwd)));
}

/** What is registered and would not be heeded, with what to do about it. */
function untrustedOf(registered: readonly Registration[]): { host: string; why: string; fix: string }[] {
  return registered.flatMap(({ host, target }) => {
    const trust = programById(host)?.trust?.(target);
    return trust?.state === "untrusted" ? [{ host, why: trust.why, fix: trust.fix }] : [];
  });
}

function makeChange(change: FileChange, call: CommandCall, { stateDir }: Project, keep: "backup" | "forget"): void {
  const { output, flags, cwd } = call;
  const dryRun = flags["dry-run"] === true;
  if (!dryRun) applyChange(change, stateDir, keep);
  if (output.json) return;
  if (dryRun) showChange(change, call);
  else output.line(`${output.paint("green", done(change))}  ${near(change.path, cwd)}`);
}

function tell(
  { output, flags }: CommandCall,
  hosts: readonly string[],
  changes: readonly FileChange[],
  untrusted: ReturnType<typeof untrustedOf>,
): void {
  if (changes.length === 0) output.line(`already registered with ${hosts.join(", ")}`);
  else if (flags["dry-run"]) output.note("dry run: nothing was written");
  else output.line(`registered with ${hosts.join(", ")}; it takes effect in the next session`);
  for (const { host, why, fix } of untrusted) {
    output.line(`${output.paint("yellow", "not yet heeded")}  ${host}: ${why}`);
    output.line(`                ${fix}`);
  }
  if (changes.length > 0 && !flags["dry-run"]) output.line("next: holdfast doctor · holdfast verify · holdfast hosts");
}

const done = ({ before }: FileChange) => (before === undefined ? "created" : "changed");

/** A project without rules of its own gets a file to write them in. */
export function starterConfig(projectDir: string): FileEdit[] {
  const present = FORMATS.some((format) => existsSync(join(projectDir, `holdfast.${format}`)));
  const path = join(projectDir, "holdfast.yaml");
  return present && !existsSync(path)
    ? []
    : [{ path, add: (text) => text ?? STARTER, remove: (text) => (text === STARTER ? undefined : text) }];
}

/** Editors find the types of `import … from "holdfast"` in hooks, also where the package is not installed. */
export function hookTypes(projectDir: string, distDir: string): FileEdit[] {
  if (existsSync(join(projectDir, "node_modules", "holdfast"))) return [];
  const dir = join(projectDir, ".holdfast");
  const config = {
    compilerOptions: {
      target: "es2022",
      module: "nodenext",
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: [],
      allowImportingTsExtensions: true,
      paths: { holdfast: [join(distDir, "index.d.ts")] },
    },
    include: ["hooks", "../hooks"],
  };
  const whole = (path: string, content: string): FileEdit => ({
    path: join(dir, path),
    add: (text) => (text === undefined || isOurs(text) ? content : text),
    remove: (text) => (isOurs(text) ? undefined : text),
  });
  // The path is this machine's, so the file stays out of commits.
  return [
    whole("tsconfig.json", `// ${GENERATED}\n${JSON.stringify(config, null, 2)}\n`),
    whole(".gitignore", `# ${GENERATED}\ntsconfig.json\ntracking/\n`),
  ];
}

const GENERATED = "written by holdfast init";
const isOurs = (text: string) => text.slice(0, 80).includes(GENERATED);

const STARTER = `# yaml-language-server: $schema=./node_modules/holdfast/schemas/config.schema.json
# Rules for the agents that work here. Guards that ship with Holdfast are on; see: holdfast hooks
version: 1

guards:
  protected-paths: { write: [], read: [] }

# hooks:
#   pre_tool_use:
#     - matcher: "^shell$"
#       hooks: [{ type: command, command: sh ./hooks/check-shell.sh }]
`;
