/** `holdfast knowledge status`: what there is, what waits, what is wrong. */
import { backgroundLines, backgroundStatus } from "../../knowledge/background/status.ts";
import { isIndexStale } from "../../knowledge/base/rebuild.ts";
import { readTree } from "../../knowledge/base/tree.ts";
import { conflictFiles } from "../../knowledge/curation/conflicts.ts";
import { readLogs, readQueue } from "../../knowledge/curation/queue.ts";
import type { CommandCall, ExitCode } from "../cli/command.ts";
import { near, table } from "../cli/output.ts";
import { visible } from "../cli/visible.ts";
import { type OpenKnowledge, openKnowledge } from "./opened.ts";

export async function run(call: CommandCall): Promise<ExitCode> {
  const { output } = call;
  const opened = await openKnowledge(call);
  const status = await statusOf(opened);
  if (output.json) {
    output.data(status);
    return 0;
  }
  const { nodes, sessions, proposals } = status;
  const rows = [
    [
      "knowledge",
      status.enabled ? output.paint("green", "on") : output.paint("yellow", "off: holdfast knowledge init"),
    ],
    ["nodes", `${nodes.practice} practice, ${nodes.map} map, in ${nodes.folders} folders`],
    ["pages", status.indexStale ? output.paint("yellow", "out of date: holdfast knowledge index") : "up to date"],
    [
      "sessions",
      `${sessions.pending} wait for proposals, ${sessions.done} done, ${sessions.failed} failed, ${sessions.skipped} skipped`,
    ],
    ["curation", waiting(proposals.open, proposals.later)],
    ["conflicts", status.conflicts === 0 ? "none" : `${status.conflicts} in .holdfast/knowledge/conflicts`],
  ];
  for (const line of table(rows)) output.line(line);
  for (const line of backgroundLines(status.background)) output.line(`${output.paint("dim", "background")}  ${line}`);
  for (const { where, message } of status.problems)
    output.line(`${output.paint("red", "problem")}  ${visible(`${near(where, call.cwd)}  ${message}`)}`);
  return 0;
}

const waiting = (open: number, later: number) =>
  open === 0
    ? "nothing waits"
    : `${open} ${open === 1 ? "proposal waits" : "proposals wait"}${later > 0 ? `, ${later} of them put off` : ""}: holdfast knowledge curate`;

export async function statusOf({ places, isEnabled, now }: Pick<OpenKnowledge, "places" | "isEnabled" | "now">) {
  const tree = readTree(places.nodesDir);
  const queue = await readQueue(places);
  const { logs } = await readLogs(places);
  const logsWith = (status: string) => logs.filter(({ front }) => front.proposal_status === status).length;
  const ofType = (type: string) => tree.nodes.filter((node) => node.type === type).length;
  return {
    enabled: isEnabled,
    nodes: {
      practice: ofType("practice"),
      map: ofType("map"),
      folders: new Set(tree.nodes.map(({ folder }) => folder)).size,
    },
    indexStale: isIndexStale(places),
    sessions: {
      pending: logsWith("pending"),
      done: logsWith("done"),
      failed: logsWith("failed"),
      skipped: logsWith("skipped"),
      uncurated: logs.filter(
        ({ front }) => front.curator_processed_at === undefined && ["pending", "done"].includes(front.proposal_status),
      ).length,
    },
    proposals: {
      open: queue.proposals.length,
      later: queue.proposals.filter(({ isLater }) => isLater).length,
    },
    conflicts: conflictFiles(places).length,
    background: backgroundStatus(places, now()),
    problems: [...tree.problems.map(({ file, message }) => ({ where: file, message })), ...queue.problems],
  };
}
