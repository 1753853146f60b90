// What the daemon holds after many events: its resident memory, as `holdfast daemon status` says it.
import { setTimeout as sleep } from "node:timers/promises";
import { loadTimes } from "./load.mjs";
import { after, before } from "./payloads.mjs";
import { writeRequest } from "./requests.mjs";
import { withScratch } from "./scratch.mjs";
import { rounded } from "./statistics.mjs";

const CALLERS = 4;
const SESSIONS = 12;
const PROJECTS = 3;
const COMMANDS = [
  "git status",
  "npm test",
  "ls -l src",
  "node build.mjs --watch=false",
  "git diff --stat",
  "make check",
];
/** So that what was only just let go is not counted. */
const REST_MS = 2_000;

export function measureMemory(tools, { quick }, say) {
  return withScratch(async (scratch) => {
    const projects = Array.from({ length: PROJECTS }, (_, index) => scratch.project(`project-${index}`));
    const requests = requestsIn(scratch, projects);
    await scratch.startDaemon(projects[0]);
    const { pid } = await scratch.daemonStatus();
    const points = [];
    let events = 0;
    for (const goal of quick ? [200, 1_000] : [1_000, 10_000, 100_000]) {
      say(`memory: up to ${goal.toLocaleString("en")} events`);
      const each = Math.ceil((goal - events) / CALLERS);
      const { wallMs } = loadTimes(tools, scratch, requests, CALLERS, each);
      events += each * CALLERS;
      await sleep(quick ? 0 : REST_MS);
      const status = await scratch.daemonStatus();
      if (status.pid !== pid) throw new Error("the daemon was replaced in the middle of the count");
      points.push({ events, rssBytes: status.rssBytes, perSecond: Math.round((1000 * each * CALLERS) / wallMs) });
    }
    return { points, times: rounded(points.at(-1).rssBytes / points[0].rssBytes) };
  });
}

function requestsIn(scratch, projects) {
  const sessions = Array.from({ length: SESSIONS }, (_, index) => `session-${index}`);
  return sessions.flatMap((session, number) =>
    COMMANDS.flatMap((command, index) =>
      [before, after].map((moment, which) =>
        writeRequest(
          scratch,
          `${session}-${index}-${which}`,
          projects[number % PROJECTS],
          moment(command, { session_id: session, tool_use_id: `${session}-${index}` }),
        ),
      ),
    ),
  );
}
