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
    let warmUps = 0;
    await scratch.startDaemon(scratch.project("start"), () => {
      warmUps += WARM_UP;
      for (const point of points) spawnTimes(tools, scratch, point, WARM_UP);
    });
    const taken = takeTurns(tools, scratch, points, options, (done) =>
      say(`growth: ${done} of ${options.rounds} rounds`),
    );
    say("growth: verifying the records");
    const calls = warmUps + options.rounds;
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

/** Whose the lines are, and what is called with them behind it. */
const VARIANTS = [
  {
    id: "others",
    name: "lines of other sessions",
    sessionOf: (line) => `other-${line % 50}`,
    moments: ["before", "after", "first", "evidence"],
  },
  { id: "own", name: "lines of the same session", sessionOf: () => "bench", moments: ["before", "after"] },
];

/** Before a call the past of its session is read; after it a line is written. */
const MOMENTS = {
  before: { name: "before a call", changes: before("git status && ls -l") },
  after: { name: "after a call", changes: after("git status"), ledger: true },
  first: { name: "before a session's first", changes: before("git status && ls -l", { session_id: "new" }) },
  evidence: {
    name: "evidence that is missing",
    changes: before("make release", { session_id: "without-tests" }),
    text: '"permissionDecision":"deny"',
    config: {
      workflow: { rules: [{ before: { command: "make release" }, require: { ran: "tests" }, say: "run `npm test`." }] },
    },
  },
};

function ledgerSeries(scratch, { quick }, say) {
  const sizes = quick ? [100, 2_000] : [100, 10_000, 1_000_000];
  return VARIANTS.flatMap(({ id, name, sessionOf, moments }) => {
    const filled = sizes.map((size) => {
      say(`growth: writing ${size.toLocaleString("en")} ${name}`);
      const projectDir = scratch.project(`${id}-${size}`);
      fillRecords(scratch, projectDir, size, sessionOf);
      return { size, projectDir, filled: size };
    });
    return moments.map((moment) => {
      const { changes, config, name: when, ...more } = MOMENTS[moment];
      const env = config ? configured(scratch, moment, config) : {};
      return {
        id: `ledger-${id}-${moment}`,
        name: `${name}, ${when}`,
        of: "ledger lines",
        points: filled.map((point) => ({
          ...point,
          ...more,
          env,
          ...call(scratch, `${id}-${moment}-${point.size}`, point.projectDir, changes),
        })),
      };
    });
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
      const env = configured(scratch, `${id}-${size}`, configOf(size));
      return { size, ...call(scratch, `${id}-${size}`, projectDir, before("git status && ls -l")), env };
    }),
  }));
}

/** The environment of a call for which this is the person's config. */
function configured(scratch, name, config) {
  scratch.write(`config-${name}/holdfast.json`, JSON.stringify({ version: 1, ...config }));
  scratch.write(`config-${name}/quiet.mjs`, QUIET_HOOK);
  return { HOLDFAST_CONFIG_DIR: `${scratch.dir}/config-${name}` };
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
