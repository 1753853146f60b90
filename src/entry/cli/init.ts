/** `holdfast init`: registers Holdfast with the hosts of a project. Idempotent to the byte. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { FORMATS, placesOf } from "../../config/places.ts";
import { HoldfastError } from "../../core/errors.ts";
import type { FileEdit } from "../../hosts/host.ts";
import type { CommandCall, ExitCode } from "./command.ts";
import { near } from "./output.ts";
import { namedLevel, registrationOf, showChange } from "./registration.ts";
import { additions, applyChange, assertWritable, type FileChange, isChange } from "./settings-files.ts";

export async function run(call: CommandCall): Promise<ExitCode> {
  const { output, flags, cwd } = call;
  const level = namedLevel(call) ?? "project";
  const { hosts, edits, consents, projectDir, stateDir } = registrationOf(call, [level], hostsInUse);
  // Files that everybody shares are not made for one person's registration.
  if (level === "project" && projectDir === placesOf(call.env).homeDir) {
    throw new HoldfastError("HF701", "your home directory is no project: rules written there are never read", {
      hint: "run it in a project, or use --user to register for all of them",
    });
  }
  const shared = level === "project" ? [...starterConfig(projectDir), ...hookTypes(projectDir, call.distDir)] : [];
  const vouched = flags.yes === true ? consents : [];
  const changes = additions([...edits, ...shared, ...vouched]).filter(isChange);
  const dryRun = flags["dry-run"] === true;
  if (!dryRun) assertWritable(changes);
  for (const change of changes) {
    if (!dryRun) applyChange(change, stateDir, "backup");
    if (output.json) continue;
    if (dryRun) showChange(change, call);
    else output.line(`${output.paint("green", done(change))}  ${near(change.path, cwd)}`);
  }
  if (output.json) {
    const listed = changes.map(({ path, before }) => ({ path, created: before === undefined }));
    output.data({ hosts, projectDir, changes: listed, dryRun });
  } else if (changes.length === 0) output.line(`already registered with ${hosts.join(", ")}`);
  else if (dryRun) output.note("dry run: nothing was written");
  else {
    output.line(`registered with ${hosts.join(", ")}; it takes effect in the next session`);
    output.line('next: holdfast check · holdfast hooks · holdfast explain --command "git push --force"');
  }
  return 0;
}

const done = ({ before }: FileChange) => (before === undefined ? "created" : "changed");

/** Where nothing tells, Claude Code: naming a host is one flag away. */
function hostsInUse(projectDir: string): string[] {
  const signs: readonly (readonly [string, string])[] = [
    ["claude-code", ".claude"],
    ["kiro", ".kiro"],
    ["pi", ".pi"],
  ];
  const found = signs.filter(([, dir]) => existsSync(join(projectDir, dir))).map(([id]) => id);
  return found.length > 0 ? found : ["claude-code"];
}

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
