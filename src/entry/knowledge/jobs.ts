/** What each kind of job is, for the process that works it off. */

import type { Environment } from "../../config/places.ts";
import { HoldfastError } from "../../core/errors.ts";
import { takeLock } from "../../engine/knowledge.ts";
import { isIndexStaleSoon } from "../../knowledge/attention/index-state.ts";
import { recordLint } from "../../knowledge/attention/lint-state.ts";
import type { Report } from "../../knowledge/background/activity-log.ts";
import type { JobKind } from "../../knowledge/background/job-store.ts";
import type { Runner } from "../../knowledge/background/worker.ts";
import { freshness } from "../../knowledge/base/freshness.ts";
import { lintBase } from "../../knowledge/base/lint.ts";
import { type DrainEnd, drainPending } from "../../knowledge/drain/drain.ts";
import { modelHosts } from "./model-hosts.ts";
import type { ProjectKnowledge } from "./project-knowledge.ts";

export function jobRunners(
  { isOn, places, settings }: ProjectKnowledge,
  env: Environment,
  report: Report,
): Readonly<Record<JobKind, Runner>> {
  return {
    async drain(_, signal) {
      // Switched off since it was asked for: nothing is spent.
      if (!isOn || !settings.drain.enabled) return "the drain is switched off";
      const hosts = modelHosts({ ...env });
      return endOf(await drainPending({ places, settings: settings.drain, hosts, takeLock, report, signal }));
    },
    async lint() {
      const found = lintBase(places);
      // Hashed here, however many nodes there are, so that session starts need not.
      isIndexStaleSoon(places, Number.POSITIVE_INFINITY);
      // Outside git nobody knows, and nothing is said.
      const aged = (await freshness(places)).aged.length;
      await recordLint(places, { ...found, aged }, new Date(), takeLock);
      return `${found.errors} errors, ${found.findings} findings, ${aged} aged`;
    },
  };
}

/** In a line. Throws where no program was there for any of them: that may change, so it is tried again. */
export function endOf(end: DrainEnd): string {
  if (end.kind === "busy") return `another drain is at work for ${Math.round(end.holder.heldMs / 1000)} s`;
  const { outcomes, stopped, waiting } = end;
  const missing = outcomes.find(({ kind }) => kind === "no-program");
  if (missing && outcomes.every(({ kind }) => kind === "no-program")) {
    throw new HoldfastError("HF1131", missing.error ?? `${missing.host} is not there`);
  }
  const proposed = outcomes.filter(({ kind }) => kind === "proposed");
  const made = proposed.reduce((sum, { practice, map }) => sum + practice + map, 0);
  const rest = waiting > 0 ? `; ${waiting} wait${stopped ? `: ${stopped}` : ""}` : "";
  return `${made} proposals of ${proposed.length} sessions${rest}`;
}
