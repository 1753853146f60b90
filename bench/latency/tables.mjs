// The report as tables of text: the terminal and the page show the same cells.

/** Each: a title, a heading for every column, rows of cells, and perhaps a remark. */
export function tablesOf(report) {
  return [
    report.cases && casesTable(report),
    ...(report.growth ? [growthTable(report.growth)] : []),
    ...(report.parallel ? [parallelTable(report.parallel)] : []),
    ...(report.memory ? [memoryTable(report.memory)] : []),
    ...(report.host && !report.host.skipped ? [hostTable(report.host)] : []),
    targetsTable(report),
  ].filter(Boolean);
}

const ms = (value) => `${value < 10 ? value.toFixed(2) : value.toFixed(1)} ms`;
const times = (value) => `${value.toFixed(value < 10 ? 2 : 1)} ×`;
const part = (value) => (value >= 0.995 ? times(value) : `1/${(1 / value).toFixed(1)}`);
const many = (value) => value.toLocaleString("en");

function casesTable({ cases, records }) {
  const { ledgerLines, auditLines } = records;
  return {
    title: "One hook call, from spawn to exit",
    head: ["case", "p50", "p95", "p99", "empty C", "node -e 0", "by Node"],
    rows: cases.map((row) => [
      row.name,
      ms(row.p50),
      ms(row.p95),
      ms(row.p99),
      times(row.timesEmptyC),
      part(row.timesNode),
      row.byNode === 0 ? "–" : row.byNode === row.spawns ? "all" : `${row.byNode} of ${row.spawns}`,
    ]),
    remark:
      `Recorded: ${many(ledgerLines)} ledger lines and ${many(auditLines)} audit lines, one for each call that is due ` +
      "one, chains verified. Every answer was checked. “By Node”: calls that a Node process of their own decided.",
  };
}

function growthTable(growth) {
  return {
    title: "Growth, through the warm path",
    head: ["what grows", "size", "p50", "p95", "p99", "smallest"],
    rows: growth.flatMap(({ name, of, points }) =>
      points.map(({ size, p50, p95, p99 }) => [
        name,
        `${many(size)} ${of}`,
        ms(p50),
        ms(p95),
        ms(p99),
        times(p50 / points[0].p50),
      ]),
    ),
    remark: "Ledger and audit are as long as it says. Hooks come on top of the built-in ones.",
  };
}

function parallelTable({ clients, sockets, empty, due, recorded }) {
  const rowsOf = (name, rows) =>
    rows.map(({ callers, decisions, perSecond, p50, p95, byNode }) => [
      name,
      many(callers),
      many(decisions),
      many(perSecond),
      ms(p50),
      ms(p95),
      byNode === 0 ? "–" : many(byNode),
    ]);
  return {
    title: "Callers in parallel, each decision with its ledger line",
    head: ["driver", "callers", "calls", "a second", "p50", "p95", "by Node"],
    rows: [
      ...rowsOf("a client process each", clients),
      ...rowsOf("connections, no process a call", sockets),
      ...rowsOf("empty C processes, for comparison", empty),
    ],
    remark: `${many(recorded)} of ${many(due)} ledger lines are there. Callers and daemon share the machine's cores.`,
  };
}

function memoryTable({ points }) {
  return {
    title: "Memory of the daemon",
    head: ["events", "resident", "first", "events a second"],
    rows: points.map(({ events, rssBytes, perSecond }) => [
      many(events),
      `${(rssBytes / 1024 / 1024).toFixed(1)} MiB`,
      times(rssBytes / points[0].rssBytes),
      many(perSecond),
    ]),
  };
}

function hostTable({ version, calls, runs, rows }) {
  return {
    title: `Inside Claude Code ${version.split(" ")[0]}: from one question to the model to the next`,
    head: ["run", "p50", "p95", "p99", "added (p50)"],
    rows: rows.map(({ id, name, p50, p95, p99, addedMs }) => [
      name,
      ms(p50),
      ms(p95),
      ms(p99),
      id === "without" ? "–" : ms(addedMs),
    ]),
    remark: `${runs} × ${calls} tool calls each, runs in turns, the model scripted. A tool call has two hooks, before and after it.`,
  };
}

function targetsTable({ targets, options }) {
  return {
    title: "Targets",
    head: ["target", "limit", "measured", "held"],
    rows: targets.map(({ name, limit, measured, held }) => [
      name,
      limit,
      measured ?? "not measured",
      held === null ? "–" : held ? "yes" : "NO",
    ]),
    ...(options.quick ? { remark: "A quick run: too few spawns and too small sizes to judge a target by." } : {}),
  };
}

/** For a terminal. */
export function plainTable({ title, head, rows, remark }) {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column].length)));
  const line = (row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join("  ");
  return [title, ...all.map((row) => `  ${line(row)}`), ...(remark ? [`  ${remark}`] : []), ""].join("\n");
}

/** For a page. */
export function markdownTable({ title, head, rows, remark }) {
  const line = (row) => `| ${row.join(" | ")} |`;
  const rule = line(head.map((_, column) => (column === 0 ? "---" : "---:")));
  return [`## ${title}`, "", line(head), rule, ...rows.map(line), ...(remark ? ["", remark] : []), ""].join("\n");
}
