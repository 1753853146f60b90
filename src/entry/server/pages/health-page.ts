/** How the hooks are doing: what they decided, how fast, and which of them failed. */
import type { AuditBucket, AuditRow } from "../../../approvals/store.ts";
import { chart } from "./chart.ts";
import { type HookHealth, hookHealth, type RecordedDecision, recentFailures, recordedDecision } from "./hook-health.ts";
import { html, type Markup } from "./markup.ts";
import { moment } from "./moment.ts";
import { decisionWord, milliseconds } from "./session-page.ts";

export const RANGES = {
  hour: { words: "Last hour", ms: 3_600_000, bucketMs: 120_000 },
  day: { words: "Last day", ms: 86_400_000, bucketMs: 1_800_000 },
  week: { words: "Last week", ms: 7 * 86_400_000, bucketMs: 6 * 3_600_000 },
  month: { words: "Last 30 days", ms: 30 * 86_400_000, bucketMs: 86_400_000 },
} as const;
export type Range = keyof typeof RANGES;

export interface Health {
  readonly range: Range;
  readonly from: Date;
  readonly to: Date;
  readonly buckets: readonly AuditBucket[];
  /** The newest decisions, for what hooks did one by one. */
  readonly recent: readonly AuditRow[];
}

/** From the bottom of a bar to its top. */
const DECISIONS = ["none", "allow", "ask", "block"] as const;

export function healthPage({ range, from, to, buckets, recent }: Health): Markup {
  const decisions = recent.map(recordedDecision);
  const filled = withoutGaps(buckets, from, to, RANGES[range].bucketMs);
  const startsAt = filled.map((bucket) => bucket.startsAt);
  const others = new Set(buckets.flatMap(({ decisions }) => Object.keys(decisions)));
  for (const known of DECISIONS) others.delete(known);
  const sum = (names: Iterable<string>) =>
    filled.map(({ decisions }) => [...names].reduce((all, name) => all + (decisions[name] ?? 0), 0));
  const series = [
    ...DECISIONS.map((name) => ({ name: decisionWord(name), look: `look-${name}`, values: sum([name]) })),
    ...(others.size > 0 ? [{ name: "other", look: "look-other", values: sum(others) }] : []),
  ];
  return html`<div class="headline"><h1>Health</h1>${rangeLinks(range)}</div>
  ${tiles(series)}
  <div class="charts">
    ${chart({ title: "Decisions", kind: "bars", startsAt, series, format: String })}
    ${chart({
      title: "Hook latency",
      kind: "lines",
      startsAt,
      series: [
        { name: "half are faster (p50)", look: "look-p50", values: filled.map(({ p50Ms }) => p50Ms) },
        { name: "19 of 20 are faster (p95)", look: "look-p95", values: filled.map(({ p95Ms }) => p95Ms) },
      ],
      format: milliseconds,
    })}
  </div>
  ${failuresView(decisions)}
  ${hooksView(hookHealth(decisions), recent.length)}`;
}

function withoutGaps(buckets: readonly AuditBucket[], from: Date, to: Date, bucketMs: number): AuditBucket[] {
  const known = new Map(buckets.map((bucket) => [Math.floor(Date.parse(bucket.startsAt) / bucketMs), bucket]));
  const first = Math.floor(from.getTime() / bucketMs);
  const last = Math.floor((to.getTime() - 1) / bucketMs);
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const startsAt = new Date((first + index) * bucketMs).toISOString();
    return known.get(first + index) ?? { startsAt, decisions: {}, p50Ms: 0, p95Ms: 0 };
  });
}

const rangeLinks = (current: Range) =>
  html`<nav class="ranges" aria-label="Time"><ul>${(Object.keys(RANGES) as Range[]).map(
    (range) =>
      html`<li><a href="/health?range=${range}"${range === current ? html` aria-current="true"` : ""}>${RANGES[range].words}</a></li>`,
  )}</ul></nav>`;

const tiles = (series: readonly { name: string; values: readonly number[] }[]) =>
  html`<dl class="tiles">${series.map(({ name, values }) => html`<div><dt>${name}</dt><dd>${values.reduce((a, b) => a + b, 0).toLocaleString("en-GB")}</dd></div>`)}</dl>`;

function failuresView(recent: readonly RecordedDecision[]): Markup {
  const failures = recentFailures(recent);
  return html`<section><h2>Failures</h2>${
    failures.length === 0
      ? html`<p class="quiet">No hook failed in the last ${recent.length.toLocaleString("en-GB")} decisions.</p>`
      : html`<ul class="plain-list failures">${failures.map(({ at, hook, failure, session }) => html`<li><p><strong>${hook}</strong> ${moment(at)} <a href="/sessions/${encodeURIComponent(session)}">its session</a></p><p class="problem">${failure}</p></li>`)}</ul>`
  }</section>`;
}

const hooksView = (hooks: readonly HookHealth[], count: number) =>
  html`<section><h2>Hooks</h2>${
    hooks.length === 0
      ? html`<p class="quiet">No decision has been recorded yet. Machines send theirs when they are set to use this server.</p>`
      : html`<p class="quiet">In the last ${count.toLocaleString("en-GB")} decisions.</p><div class="scroll" tabindex="0" role="region" aria-label="Hooks"><table><thead><tr><th scope="col">Hook</th><th scope="col">Asked</th><th scope="col">Blocked</th><th scope="col">Failed</th><th scope="col">Half take</th><th scope="col">Longest</th></tr></thead>
    <tbody>${hooks.map((hook) => html`<tr><th scope="row">${hook.name}</th><td>${hook.asked}</td><td>${hook.blocked}</td><td>${hook.failed > 0 ? html`<strong class="problem">${hook.failed}</strong>` : 0}</td><td>${milliseconds(hook.medianMs)}</td><td>${milliseconds(hook.longestMs)}</td></tr>`)}</tbody></table></div>`
  }</section>`;
