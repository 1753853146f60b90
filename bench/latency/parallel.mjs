// Many callers at once: how many decisions a second, and whether a line is lost.
import { loadTimes } from "./load.mjs";
import { after, payloadOf } from "./payloads.mjs";
import { writeRequest } from "./requests.mjs";
import { client, HOOK, withScratch } from "./scratch.mjs";
import { spawnTimes } from "./spawner.mjs";
import { summaryOf } from "./statistics.mjs";

const CALLERS = [1, 2, 8, 32];

/**
 * `clients`: every decision is a process of the native client, as hosts run it; starting it is part of the time.
 * `sockets`: the same protocol without a process a call: what the daemon alone can take.
 * `empty`: as many empty C processes: what starting processes alone leaves.
 */
export function measureParallel(tools, { quick }, say) {
  return withScratch(async (scratch) => {
    const decisions = quick ? { clients: 64, sockets: 320 } : { clients: 3_200, sockets: 16_000 };
    const projectDir = scratch.project("project");
    const input = scratch.write("payloads/after.json", JSON.stringify(payloadOf(projectDir, after("git status"))));
    const requests = [0, 1, 2, 3].map((index) =>
      writeRequest(scratch, `after-${index}`, projectDir, after("git status", { session_id: `session-${index}` })),
    );
    const ofClients = { name: "clients in parallel", command: [client, ...HOOK], input, cwd: projectDir };
    const ofEmpty = { name: "empty processes in parallel", command: [tools.empty], input, cwd: projectDir };
    await scratch.startDaemon(projectDir);
    let lines = 0;
    const levels = (total, run) =>
      CALLERS.map((callers) => {
        const { times, byNode = 0, wallMs } = run(callers, Math.ceil(total / callers));
        const { count, ...figures } = summaryOf(times);
        return { callers, decisions: count, perSecond: Math.round((1000 * count) / wallMs), byNode, ...figures };
      });
    const counted = (rows) => {
      for (const { decisions } of rows) lines += decisions;
      return rows;
    };
    spawnTimes(tools, scratch, ofClients, 10);
    lines += 10;
    say("parallel: processes of the native client");
    const clients = counted(
      levels(decisions.clients, (callers, each) => spawnTimes(tools, scratch, ofClients, each, callers)),
    );
    const empty = levels(decisions.clients, (callers, each) => spawnTimes(tools, scratch, ofEmpty, each, callers));
    say("parallel: connections to the daemon");
    const sockets = counted(
      levels(decisions.sockets, (callers, each) => loadTimes(tools, scratch, requests, callers, each)),
    );
    const ledger = await scratch.verified("ledger", projectDir);
    return { clients, sockets, empty, due: lines, recorded: ledger.lines, chainHolds: ledger.ok };
  });
}
