// The promises of the hot path, each with what was measured. `held` is null where a section was not run.

const WARM = [
  ["warm-allow", "allowed"],
  ["warm-block", "blocked"],
  ["warm-ledger", "with its ledger line"],
  ["warm-rewrite", "rewritten"],
];
/** As hosts are registered. Where Node cannot make an image it does not hold: that row says what it takes instead. */
const COLD = [
  ["cold-client", "the client becomes node"],
  ["cold-ledger", "the client, with its ledger line"],
  ["cold-launcher", "the launcher becomes node"],
];

export function targetsOf({ cases, growth, parallel, memory }) {
  return [...caseTargets(cases), ...growthTargets(growth), ...parallelTargets(parallel), memoryTarget(memory)];
}

function caseTargets(cases) {
  const row = (id) => cases?.find((one) => one.id === id);
  const node = row("node")?.p50;
  const limited = (id, name, unit, limit, value) => atMost(id, name, limit, value, unit);
  return [
    ...WARM.map(([id, what]) => limited(`${id}-c`, `warm p50, ${what}`, "× empty C", 5, row(id)?.timesEmptyC)),
    ...WARM.map(([id, what]) => limited(`${id}-node`, `warm p50, ${what}`, "× node -e 0", 1 / 20, row(id)?.timesNode)),
    ...WARM.map(([id, what]) =>
      limited(`${id}-p95`, `warm p95, ${what}`, "× node -e 0 (p50)", 1 / 5, row(id) && row(id).p95 / node),
    ),
    ...COLD.map(([id, what]) => limited(`${id}-node`, `cold p50, ${what}`, "× node -e 0", 1.4, row(id)?.timesNode)),
  ];
}

const GROWTH = [
  ["ledger-others-before", 1.2],
  ["ledger-others-after", 1.2],
  ["ledger-others-first", 1.2],
  ["ledger-others-evidence", 1.2],
  ["ledger-own-before", 1.2],
  ["ledger-own-after", 1.2],
  ["hooks-idle", 1.5],
  ["hooks-rules", 1.5],
  ["hooks-asked", 1.5],
];

function growthTargets(growth) {
  return GROWTH.map(([id, limit]) => {
    const series = growth?.find((one) => one.id === id);
    const sizes = series?.points.map(({ size }) => size.toLocaleString("en"));
    const name = series ? `${sizes[0]} to ${sizes.at(-1)} ${series.of}: ${series.name}` : `growth: ${id}`;
    return atMost(id, name, limit, series?.times, `× ${sizes?.[0] ?? "the smallest"}`);
  });
}

function parallelTargets(parallel) {
  const inAll = (rows) => rows?.at(-1);
  const callers = inAll(parallel?.clients)?.callers ?? 32;
  const lost = parallel && parallel.due - parallel.recorded;
  const chain = parallel?.chainHolds ? "chain holds" : "chain broken";
  return [
    {
      id: "lost-lines",
      name: `1 to ${callers} callers: lines lost`,
      limit: "0, chain holds",
      measured: parallel ? `${lost} of ${parallel.due.toLocaleString("en")}, ${chain}` : null,
      held: parallel ? lost === 0 && parallel.chainHolds : null,
    },
    atLeast(
      "throughput-sockets",
      `${callers} callers, decisions a second: connections`,
      2_000,
      inAll(parallel?.sockets)?.perSecond,
    ),
    atLeast(
      "throughput-clients",
      `${callers} callers, decisions a second: a client process each`,
      2_000,
      inAll(parallel?.clients)?.perSecond,
    ),
  ];
}

function memoryTarget(memory) {
  const [first, last] = [memory?.points[0], memory?.points.at(-1)].map((point) => point?.events.toLocaleString("en"));
  const name = memory ? `memory of the daemon after ${last} events` : "memory of the daemon";
  return atMost("memory", name, 1.3, memory?.times, `× after ${first ?? "the first"}`);
}

function atMost(id, name, limit, value, unit) {
  const text = (number) => `${limit < 1 ? `1/${decimal(1 / number)}` : decimal(number)} ${unit}`;
  return {
    id,
    name,
    limit: `at most ${text(limit)}`,
    measured: value === undefined ? null : text(value),
    held: value === undefined ? null : value <= limit,
  };
}

function atLeast(id, name, limit, value) {
  return {
    id,
    name,
    limit: `at least ${limit.toLocaleString("en")}`,
    measured: value === undefined ? null : value.toLocaleString("en"),
    held: value === undefined ? null : value >= limit,
  };
}

const decimal = (number) => String(Number(number.toFixed(2)));
