/** The same question to a process of its own, waited for on the spot: for a moment at which a host waits for nobody. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { JsonObject } from "../../core/json.ts";
import type { Asked } from "../../hosts/plugin.ts";
import { deadlinesOf } from "../hook/deadline.ts";
import type { AskSetting } from "./ask.ts";

/** undefined: no such process could be run, or it said nothing in time. */
export function askNow({ host, cwd, distDir }: AskSetting, payload: JsonObject): Asked | undefined {
  const event = typeof payload.hook_event_name === "string" ? payload.hook_event_name : "";
  const { status, stdout, stderr } = spawnSync(join(distDir, "..", "bin", "holdfast"), ["hook", "--host", host.id], {
    cwd,
    input: JSON.stringify(payload),
    encoding: "utf8",
    timeout: deadlinesOf(host, event).hardMs + START_MS,
  });
  if (status === null || status === undefined) return undefined;
  // With exit 0 the process has nothing on stderr but remarks.
  const remarks = status === 0 ? stderr.split("\n").filter(Boolean) : [];
  return { stdout, stderr: status === 0 ? "" : stderr, exitCode: status, remarks };
}

/** The process keeps the deadline by itself; this is for one that does not even start. */
const START_MS = 2_000;
