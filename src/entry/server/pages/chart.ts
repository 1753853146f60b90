/** Charts without a script: shapes in SVG that stretch, their words in HTML that does not, and the figures as a table. */
import { html, type Markup } from "./markup.ts";

export interface Series {
  readonly name: string;
  /** The class that colours it. */
  readonly look: string;
  readonly values: readonly number[];
}

export interface Chart {
  readonly title: string;
  readonly kind: "bars" | "lines";
  /** When each value's time begins. */
  readonly startsAt: readonly string[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
}

const WIDTH = 1_000;
const HEIGHT = 240;

export function chart({ title, kind, startsAt, series, format }: Chart): Markup {
  const highest =
    kind === "bars" ? Math.max(0, ...totals(series)) : Math.max(0, ...series.flatMap(({ values }) => values));
  const top = roundedUp(highest);
  const shapes = kind === "bars" ? bars(series, startsAt, top, format) : series.map((one) => line(one, top));
  const [first = "", last = ""] = [startsAt[0], startsAt.at(-1)];
  return html`<figure class="chart">
    <figcaption><h2>${title}</h2><ul class="legend">${series.map(({ name, look }) => html`<li><span class="swatch ${look}" aria-hidden="true"></span>${name}</li>`)}</ul></figcaption>
    <div class="plot"><span class="y-top" aria-hidden="true">${format(top)}</span><span class="y-bottom" aria-hidden="true">${format(0)}</span>
      <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${title}, from ${first} to ${last}; the highest is ${format(highest)}. The table below has the figures.">
        ${[0, 0.5, 1].map((part) => html`<line class="grid" x1="0" x2="${WIDTH}" y1="${HEIGHT * part}" y2="${HEIGHT * part}"/>`)}${shapes}</svg>
      <span class="x-first" aria-hidden="true">${shortTime(first)}</span><span class="x-last" aria-hidden="true">${shortTime(last)}</span></div>
    <details class="more"><summary>The figures</summary><div class="scroll" tabindex="0" role="region" aria-label="${title}: the figures"><table><thead><tr><th scope="col">From</th>${series.map(({ name }) => html`<th scope="col">${name}</th>`)}</tr></thead>
      <tbody>${startsAt.map((at, index) => html`<tr><th scope="row"><time datetime="${at}" data-local>${at.slice(0, 16).replace("T", " ")}</time></th>${series.map(({ values }) => html`<td>${format(values[index] ?? 0)}</td>`)}</tr>`)}</tbody></table></div></details>
  </figure>`;
}

function bars(series: readonly Series[], startsAt: readonly string[], top: number, format: Chart["format"]): Markup[] {
  const step = WIDTH / Math.max(1, startsAt.length);
  return startsAt.map((at, index) => {
    let y = HEIGHT;
    const pieces = series.map(({ look, values }) => {
      const height = ((values[index] ?? 0) / top) * HEIGHT;
      y -= height;
      return height > 0
        ? html`<rect class="${look}" x="${rounded(index * step + step * 0.1)}" y="${rounded(y)}" width="${rounded(step * 0.8)}" height="${rounded(height)}"/>`
        : html``;
    });
    const words = series.map(({ name, values }) => `${name} ${format(values[index] ?? 0)}`).join(", ");
    return html`<g><title>${at.slice(0, 16).replace("T", " ")} UTC: ${words}</title>${pieces}</g>`;
  });
}

function line({ look, values }: Series, top: number): Markup {
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map((value, index) => `${rounded(index * step)},${rounded(HEIGHT - (value / top) * HEIGHT)}`);
  return html`<polyline class="stroke ${look}" points="${points.join(" ")}"/>`;
}

const totals = (series: readonly Series[]) =>
  (series[0]?.values ?? []).map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));

/** To 1, 2 or 5 times a power of ten. */
function roundedUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((factor) => factor * power >= value) ?? 10) * power;
}

const rounded = (value: number) => Math.round(value * 10) / 10;
const shortTime = (at: string) =>
  at === "" ? "" : html`<time datetime="${at}" data-local>${at.slice(5, 16).replace("T", " ")} UTC</time>`;
