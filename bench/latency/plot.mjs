// The cases as a picture: milliseconds on a logarithmic scale, a dot for p50 and a line to p95. Plain SVG, no library.

const ROW = 26;
const TOP = 64;
const BOTTOM = 46;
const LEFT = 330;
const WIDTH = 920;
const RIGHT = 150;

export function plotOf({ cases, machine }) {
  const values = cases.flatMap(({ p50, p95 }) => [p50, p95]);
  const scale = logScale(Math.min(...values), Math.max(...values));
  const height = TOP + cases.length * ROW + BOTTOM;
  const bottom = height - BOTTOM;
  const limit = 5 * cases.find(({ id }) => id === "empty-c").p50;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="Milliseconds of one hook call, p50 and p95 of each case">`,
    `<style>${STYLE}</style>`,
    `<rect class="ground" width="${WIDTH}" height="${height}" rx="8"/>`,
    text(20, 28, "title", "One hook call, from spawn to exit"),
    text(20, 48, "quiet", `dot: p50, end of the line: p95; milliseconds, logarithmic; ${machine.summary}`),
    ...scale.ticks.flatMap((tick) => [
      `<line class="grid" x1="${x(tick)}" y1="${TOP}" x2="${x(tick)}" y2="${bottom}"/>`,
      text(x(tick), bottom + 18, "quiet middle", String(tick)),
    ]),
    `<line class="limit" x1="${x(limit)}" y1="${TOP}" x2="${x(limit)}" y2="${bottom}"/>`,
    text(x(limit), bottom + 36, "quiet middle", "5 × empty C: limit of the warm p50"),
    ...cases.flatMap((one, index) => row(one, TOP + index * ROW + ROW / 2)),
    "</svg>",
    "",
  ].join("\n");

  function x(milliseconds) {
    return (LEFT + scale.share(milliseconds) * (WIDTH - LEFT - RIGHT)).toFixed(1);
  }

  function row({ name, group, p50, p95 }, y) {
    return [
      text(20, y + 4, "name", name),
      `<line class="${group} span" x1="${x(p50)}" y1="${y}" x2="${x(p95)}" y2="${y}"/>`,
      `<line class="${group} span" x1="${x(p95)}" y1="${y - 5}" x2="${x(p95)}" y2="${y + 5}"/>`,
      `<circle class="${group} dot" cx="${x(p50)}" cy="${y}" r="5"/>`,
      text(WIDTH - 20, y + 4, "figure end", `${short(p50)} / ${short(p95)} ms`),
    ];
  }
}

/** From the power of ten below the least to the one above the most; every tick at 1, 2 and 5 within. */
export function logScale(least, most) {
  const from = Math.floor(Math.log10(least));
  const to = Math.max(from + 1, Math.ceil(Math.log10(most)));
  const decades = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const ticks = decades.flatMap((power) => (power === to ? [1] : [1, 2, 5]).map((digit) => plain(digit, power)));
  return { ticks, share: (value) => (Math.log10(value) - from) / (to - from) };
}

/** Without the rest that 5 * 10 ** -1 may leave. */
const plain = (digit, power) => Number(`${digit}e${power}`);

const short = (value) => (value < 10 ? value.toFixed(2) : value.toFixed(0));

const text = (x, y, kind, content) => `<text x="${x}" y="${y}" class="${kind}">${escaped(content)}</text>`;

const escaped = (content) => content.replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign]);

/** The page around it may be light or dark: the picture brings its own ground. */
const STYLE = `
.ground { fill: #ffffff } .grid { stroke: #e2e5ea } .limit { stroke: #b45309; stroke-dasharray: 4 4 }
text { font: 12px ui-sans-serif, system-ui, sans-serif; fill: #1f2733 }
.title { font-size: 16px; font-weight: 600 } .quiet { fill: #5b6675; font-size: 11px } .figure { font-size: 12px }
.middle { text-anchor: middle } .end { text-anchor: end } .span { stroke-width: 2.5 }
.reference { stroke: #6b7280 } .peer { stroke: #a21caf } .warm { stroke: #0f766e } .pause { stroke: #2563eb } .cold { stroke: #c2410c }
.dot.reference { fill: #6b7280 } .dot.peer { fill: #a21caf } .dot.warm { fill: #0f766e } .dot.pause { fill: #2563eb } .dot.cold { fill: #c2410c }
@media (prefers-color-scheme: dark) {
.ground { fill: #14181f } .grid { stroke: #2b323d } .limit { stroke: #f59e0b }
text { fill: #e6e9ee } .quiet { fill: #9aa5b4 }
.reference { stroke: #9ca3af } .peer { stroke: #e879f9 } .warm { stroke: #2dd4bf } .pause { stroke: #60a5fa } .cold { stroke: #fb923c }
.dot.reference { fill: #9ca3af } .dot.peer { fill: #e879f9 } .dot.warm { fill: #2dd4bf } .dot.pause { fill: #60a5fa } .dot.cold { fill: #fb923c }
}
`;
