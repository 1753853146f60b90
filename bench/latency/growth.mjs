// What a call costs when there is more of everything: more lines behind it, more hooks around it.
import { after, before, payloadOf } from "./payloads.mjs";
import { fillRecords } from "./records-filling.mjs";
import { client, HOOK, withScratch } from "./scratch.mjs";
import { spawnTimes, takeTurns } from "./spawner.mjs";
import { rounded, summaryOf } from "./statistics.mjs";

const WARM_UP = 5;

/** Per series the figures of each size, smallest first, and how many times the smallest the largest costs. */
export function measureGrowth(tools, options, say) {
  return withScratch(async (scratch) => {
    const series = [...ledgerSeries(scratch, options, say), ...hookSeries(scratch, options)];
    const points = series.flatMap(({ points }) => points);
    await scratch.startDaemon(scratch.project("start"));
    for (const point of points) spawnTimes(tools, scratch, point, WARM_UP);
    const taken = takeTurns(tools, scratch, points, options, (done) =>
      say(`growth: ${done} of ${options.rounds} rounds`),
    );
    say("growth: verifying the records");
    const calls = WARM_UP + options.rounds;
    for (const { projectDir, filled, ledger } of points) {
      if (ledger) await scratch.expectLines("ledger", projectDir, filled + calls);
    }
    return series.map(({ points, ...about }) => ({
      ...about,
      points: points.map((point) => {
        const { times, byNode } = taken.get(point);
        const { count: spawns, ...figures } = summaryOf(times);
        return { size: point.size, spawns, byNode, ...figures };
      }),
      times: timesOf(points.map((point) => summaryOf(taken.get(point).times).p50)),
    }));
  });
}

const timesOf = (p50s) => rounded(p50s.at(-1) / p50s[0]);

/** Few: the session under test has none of the lines. All: they are all its own, of one long session. */
const VARIANTS = [
  { id: "others", name: "lines of other sessions", sessionOf: (line) => `other-${line % 50}` },
  { id: "own", name: "lines of the same session", sessionOf: () => "bench" },
];

/** Each variant has two series over the same records: before a call evidence is read, after it a line is written. */
function ledgerSeries(scratch, { quick }, say) {
  const sizes = quick ? [100, 2_000] : [100, 10_000, 1_000_000];
  return VARIANTS.flatMap(({ id, name, sessionOf }) => {
    const filled = sizes.map((size) => {
      say(`growth: writing ${size.toLocaleString("en")} ${name}`);
      const projectDir = scratch.project(`${id}-${size}`);
      fillRecords(scratch, projectDir, size, sessionOf);
      return { size, projectDir, filled: size };
    });
    const series = (moment, changes, more) => ({
      id: `ledger-${id}-${moment}`,
      name: `${name}, ${moment} a call`,
      of: "ledger lines",
      points: filled.map((point) => ({
        ...point,
        ...more,
        ...call(scratch, `${id}-${moment}-${point.size}`, point.projectDir, changes),
      })),
    });
    return [
      series("before", before("git status && ls -l"), {}),
      series("after", after("git status"), { ledger: true }),
    ];
  });
}

const HOOK_KINDS = [
  { id: "idle", name: "command hooks for other tools", configOf: idleHooks },
  { id: "rules", name: "rules and protected paths", configOf: rules },
  { id: "asked", name: "module hooks that are all asked", configOf: askedHooks },
];

function hookSeries(scratch, { quick }) {
  const sizes = quick ? [5, 20] : [5, 50, 200];
  return HOOK_KINDS.map(({ id, name, configOf }) => ({
    id: `hooks-${id}`,
    name,
    of: "hooks",
    points: sizes.map((size) => {
      const projectDir = scratch.project(`${id}-${size}`);
      scratch.write(`config-${id}-${size}/holdfast.json`, JSON.stringify({ version: 1, ...configOf(size) }));
      scratch.write(`config-${id}-${size}/quiet.mjs`, QUIET_HOOK);
      const env = { HOLDFAST_CONFIG_DIR: `${scratch.dir}/config-${id}-${size}` };
      return { size, ...call(scratch, `${id}-${size}`, projectDir, before("git status && ls -l")), env };
    }),
  }));
}

function call(scratch, name, projectDir, changes) {
  const input = scratch.write(`payloads/${name}.json`, JSON.stringify(payloadOf(projectDir, changes)));
  return { name, command: [client, ...HOOK], input, cwd: projectDir };
}

const numbers = (count) => Array.from({ length: count }, (_, index) => index);

function idleHooks(count) {
  const group = (index) => ({
    matcher: `^mcp__server_${index}__`,
    hooks: [{ type: "command", command: "exit 2", id: `idle-${index}` }],
  });
  return { hooks: { pre_tool_use: numbers(count).map(group) } };
}

function askedHooks(count) {
  const hook = (index) => ({ type: "module", path: "./quiet.mjs", id: `asked-${index}` });
  return { hooks: { pre_tool_use: [{ hooks: numbers(count).map(hook) }] } };
}

function rules(count) {
  const rule = (index) => ({
    before: { command: `deploy --stage ${index} *` },
    require: { ran: `check --stage ${index}` },
    say: `run check --stage ${index} first.`,
  });
  return {
    workflow: { rules: numbers(Math.ceil(count / 2)).map(rule) },
    guards: { "protected-paths": { write: numbers(Math.floor(count / 2)).map((index) => `generated/${index}/**`) } },
  };
}

const QUIET_HOOK = `import { defineHook } from "holdfast";
export default defineHook({ name: "quiet", on: ["pre_tool_use"], judge: () => undefined });
`;
