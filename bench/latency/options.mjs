// What the command line says. An unknown word is an error: a bench that ignores one measures something else.
import { join } from "node:path";
import { root } from "../../scripts/ensure.mjs";

export const SECTIONS = ["cases", "growth", "parallel", "memory", "host"];

const USAGE = `npm run bench:latency -- [options]
  --rounds N     spawns a case (default 300)
  --turn N       spawns of one case before the next has its turn (default 10)
  --quick        30 rounds and small growth: shows that the bench works, not what a call costs
  --only A,B     of ${SECTIONS.join(", ")}
  --host         also inside the real Claude Code, where it is installed
  --peers        installs other guards into a cache and measures them too
  --out DIR      where the page, the plot and the JSON go (default docs/benchmarks; with --quick nowhere)
  --json [FILE]  the JSON to a file, or alone on stdout
  --check        exit code 1 if a target does not hold`;

export const isUsageError = (error) => error instanceof UsageError;

class UsageError extends Error {}

export function readOptions(words) {
  const given = {};
  for (let index = 0; index < words.length; index++) {
    const flag = words[index];
    const next = words[index + 1];
    const value = next === undefined || next.startsWith("--") ? undefined : next;
    const takes = FLAGS[flag];
    if (!takes) throw new UsageError(`unknown option ${flag}\n\n${USAGE}`);
    if (takes === "value" && value === undefined) throw new UsageError(`${flag} needs a value\n\n${USAGE}`);
    given[flag.slice(2)] = takes === "nothing" ? true : (value ?? true);
    if (takes !== "nothing" && value !== undefined) index += 1;
  }
  const quick = given.quick === true;
  const rounds = count(given.rounds ?? (quick ? 30 : 300), "--rounds");
  return {
    quick,
    rounds,
    turn: Math.min(rounds, count(given.turn ?? 10, "--turn")),
    sections: sectionsOf(given),
    peers: given.peers === true,
    check: given.check === true,
    outDir: given.out ?? (quick ? undefined : join(root, "docs", "benchmarks")),
    jsonFile: typeof given.json === "string" ? given.json : undefined,
    jsonOnStdout: given.json === true,
  };
}

const FLAGS = {
  "--rounds": "value",
  "--turn": "value",
  "--only": "value",
  "--out": "value",
  "--json": "perhaps a value",
  "--quick": "nothing",
  "--host": "nothing",
  "--peers": "nothing",
  "--check": "nothing",
};

function sectionsOf({ only, host }) {
  const named = only?.split(",") ?? SECTIONS.filter((section) => section !== "host");
  const unknown = named.find((section) => !SECTIONS.includes(section));
  if (unknown !== undefined) throw new UsageError(`--only has no "${unknown}"\n\n${USAGE}`);
  return new Set([...named, ...(host ? ["host"] : [])]);
}

function count(value, flag) {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1) throw new UsageError(`${flag} is a number from 1 on, not "${value}"`);
  return number;
}
