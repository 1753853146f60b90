/** `holdfast knowledge doctor`: whether knowledge works here, per check and per host. Errors are exit code 1. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { placesOf } from "../../config/places.ts";
import { readHeartbeats } from "../../engine/heartbeat.ts";
import { LEVELS } from "../../hosts/host.ts";
import { freshness } from "../../knowledge/base/freshness.ts";
import { lintBase } from "../../knowledge/base/lint.ts";
import { type Privacy, privacy } from "../../knowledge/base/privacy.ts";
import { isIndexStale } from "../../knowledge/base/rebuild.ts";
import { readTree } from "../../knowledge/base/tree.ts";
import type { KnowledgePlaces } from "../../knowledge/places.ts";
import type { CommandCall, ExitCode } from "../cli/command.ts";
import { type FoundHost, isInUse, searchHosts } from "../cli/host-search.ts";
import { type Output, table } from "../cli/output.ts";
import { registeredState } from "../cli/registered.ts";
import { type Project, projectOf, registrations } from "../cli/registration.ts";
import { visible } from "../cli/visible.ts";
import { type Finding, failure, type Grade, good, note, warning } from "../doctor/finding.ts";
import { skillState } from "./files.ts";
import { type OpenKnowledge, openKnowledge } from "./opened.ts";

interface Section {
  readonly title: string;
  readonly findings: readonly Finding[];
}

export async function run(call: CommandCall): Promise<ExitCode> {
  const { output, env } = call;
  const opened = await openKnowledge(call);
  const project = projectOf(call);
  const hosts = searchHosts({ ...project, env }).filter(isInUse);
  const sections: Section[] = [
    { title: "Knowledge", findings: await baseFindings(opened) },
    ...hosts.map((found) => ({ title: found.host.title, findings: hostFindings(found, call, project) })),
  ];
  const all = sections.flatMap(({ findings }) => findings);
  if (output.json) output.data({ sections });
  else for (const section of sections) print(section, output);
  return all.some(({ grade }) => grade === "error") ? 1 : 0;
}

/** The entry is told to every session: more than this is felt. */
const MAX_ENTRY_TOKENS = 2_500;
const CHARACTERS_PER_TOKEN = 4;

async function baseFindings({ places, isEnabled, configErrors }: OpenKnowledge): Promise<Finding[]> {
  const { errors, findings, entries } = lintBase(places);
  const { aged, problem } = await freshness(places);
  const kept = await privacy(places);
  const firstError = entries.find(({ severity }) => severity === "error");
  return [
    configErrors.length > 0
      ? failure("config", configErrors[0]?.message ?? "", "holdfast check names all that is wrong")
      : isEnabled
        ? good("config", "switched on")
        : failure("config", "switched off: nothing is captured, nothing is told", "holdfast knowledge init"),
    privateFinding(kept),
    firstError === undefined
      ? good("nodes", `${readTree(places.nodesDir).nodes.length} can be read`)
      : failure(
          "nodes",
          `${errors} errors, first: ${firstError.file} ${firstError.message}`,
          "holdfast knowledge lint",
        ),
    findings === 0
      ? good("lint", "nothing to mend")
      : warning("lint", `${findings} findings`, "holdfast knowledge lint"),
    isIndexStale(places)
      ? warning("pages", "are not of the nodes as they are", "holdfast knowledge index")
      : good("pages", "up to date"),
    ...entryFinding(places),
    ...sourceFindings(places),
    problem !== undefined
      ? note("freshness", `not known: ${problem}`)
      : aged.length === 0
        ? good("freshness", "no node is older than what it speaks of")
        : warning("freshness", `${aged.length} nodes may be out of date`, "holdfast knowledge lint names them"),
  ];
}

function privateFinding(kept: Privacy): Finding {
  switch (kept.kind) {
    case "private":
      return good("private", "sessions, traces and proposals stay out of git");
    case "tracked":
      return failure(
        "private",
        `git has ${kept.files.length} files of what people said in sessions, first: ${kept.files[0]}`,
        "git rm -r --cached takes them out of the next commit; they stay in those that have them",
      );
    case "exposed":
      return failure(
        "private",
        `what people said in sessions could be committed: git does not ignore ${kept.folders.join(", ")}`,
        "holdfast knowledge init; if it stays so, a .gitignore above lets them in again",
      );
  }
}

function entryFinding({ entryFile }: KnowledgePlaces): Finding[] {
  if (!existsSync(entryFile)) return [warning("entry", "there is no ENTRY.md", "holdfast knowledge index")];
  const tokens = Math.ceil(readFileSync(entryFile, "utf8").length / CHARACTERS_PER_TOKEN);
  return tokens > MAX_ENTRY_TOKENS
    ? [warning("entry", `some ${tokens} tokens are told to every session`, "put nodes of the top into folders")]
    : [good("entry", `some ${tokens} tokens`)];
}

/** Sources that are files of the project must be there. */
function sourceFindings({ nodesDir, root }: KnowledgePlaces): Finding[] {
  const gone = readTree(nodesDir).nodes.flatMap(({ id, derivedFrom }) =>
    derivedFrom
      .filter((source) => source.includes("/") && !/^\w+:/.test(source) && !existsSync(join(root, source)))
      .map((source) => `${id} is derived from ${source}`),
  );
  const [first] = gone;
  return first === undefined
    ? [good("sources", "all files that nodes come from are there")]
    : [warning("sources", `${gone.length} are gone, first: ${first}`, "name another source, or take it out")];
}

function hostFindings({ host }: FoundHost, call: CommandCall, project: Project): Finding[] {
  const registered = registrations(call, project, [host.id], LEVELS).map(registeredState);
  const isRegistered = registered.some(({ state }) => state === "registered");
  const skills = skillState(project.projectDir, host.id);
  const beat = readHeartbeats(project.projectDir, placesOf(call.env)).find((sign) => sign.host === host.id);
  return [
    isRegistered
      ? good("registered", "sessions reach us")
      : failure("registered", "sessions here are not captured and told nothing", `holdfast init --hosts ${host.id}`),
    beat ? good("called", `last at ${beat.at}`) : note("called", "no session of it was seen in this project yet"),
    ...(skills === undefined
      ? []
      : skills === "current"
        ? [good("skills", "installed")]
        : [
            warning(
              "skills",
              skills === "foreign" ? "files of that name are somebody else's" : skills,
              `holdfast knowledge init --hosts ${host.id}`,
            ),
          ]),
  ];
}

const COLOURS: Readonly<Record<Grade, "green" | "dim" | "yellow" | "red">> = {
  good: "green",
  note: "dim",
  warning: "yellow",
  error: "red",
};

function print({ title, findings }: Section, output: Output): void {
  output.line(output.paint("bold", title));
  const rows = findings.map(({ check, grade, text }) => [
    `  ${output.paint(COLOURS[grade], grade)}`,
    check,
    visible(text),
  ]);
  for (const [index, line] of table(rows).entries()) {
    output.line(line);
    const fix = findings[index]?.fix;
    if (fix !== undefined) output.line(`           ${fix}`);
  }
}
