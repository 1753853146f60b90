// One hook call, as a host sees it, in every way it can go; beside it what the machine needs for nothing at all.
import { after, before, largeWrite, payloadOf, REAL_SCRIPT } from "./payloads.mjs";
import { findPeers } from "./peers.mjs";
import { client, HOOK, launcher, program, withScratch } from "./scratch.mjs";
import { spawnTimes, takeTurns } from "./spawner.mjs";
import { rounded, summaryOf } from "./statistics.mjs";

/** Longer than the daemon keeps a journal open: the call finds nothing of the one before it. */
const PAUSE_US = 50_000;
const WARM_UP = 5;

export function measureCases(tools, options, say) {
  return withScratch(async (scratch) => {
    const projectDir = scratch.project("project");
    const peers = findPeers({ install: options.peers, say });
    const cases = casesIn(scratch, projectDir, tools, peers);
    let warmUps = 0;
    await scratch.startDaemon(projectDir, () => {
      warmUps += WARM_UP;
      for (const one of cases) spawnTimes(tools, scratch, one, WARM_UP);
    });
    const auditBefore = 1;
    const taken = takeTurns(tools, scratch, cases, options, (done) =>
      say(`cases: ${done} of ${options.rounds} rounds`),
    );

    const calls = (isCounted) => cases.filter(isCounted).length * (warmUps + options.rounds);
    const records = {
      ledgerLines: await scratch.expectLines(
        "ledger",
        projectDir,
        calls(({ ledger }) => ledger),
      ),
      auditLines: await scratch.expectLines("audit", projectDir, auditBefore + calls(({ ours }) => ours)),
    };
    return { cases: rowsOf(cases, taken), records, skipped: peers.flatMap(({ skipped }) => skipped ?? []) };
  });
}

function rowsOf(cases, taken) {
  const rows = cases.map((one) => {
    const { times, byNode } = taken.get(one);
    const { id, name, group } = one;
    return { id, name, group, spawns: times.length, byNode, ...summaryOf(times) };
  });
  const p50 = (wanted) => rows.find(({ id }) => id === wanted).p50;
  // What begins after a pause is slower by itself: it has an empty process of its own to be measured against.
  const emptyOf = ({ group }) => p50(group === "pause" ? "empty-c-pause" : "empty-c");
  return rows.map(({ count: _count, ...row }) => ({
    ...row,
    timesEmptyC: rounded(row.p50 / emptyOf(row)),
    timesNode: rounded(row.p50 / p50("node")),
  }));
}

function casesIn(scratch, projectDir, tools, peers) {
  const payload = (name, changes) =>
    scratch.write(`payloads/${name}.json`, JSON.stringify(payloadOf(projectDir, changes)));
  const allow = payload("allow", before("git status && ls -l"));
  const block = payload("block", before("git push --force origin main"));
  const ledger = payload("after", after("git status"));
  const script = payload("script", before(REAL_SCRIPT));
  const large = payload("large", largeWrite(projectDir, 1_000_000));
  const here = { cwd: projectDir, input: allow };
  const rewriting = { HOLDFAST_CONFIG_DIR: writeRewritingConfig(scratch) };
  const warm = { ...here, group: "warm", command: [client, ...HOOK], ours: true };
  const cold = { ...warm, group: "cold", env: { HOLDFAST_DAEMON: "off" } };
  return [
    { ...here, id: "empty-c", name: "empty C process", group: "reference", command: [tools.empty] },
    { ...here, id: "node", name: "node -e 0", group: "reference", command: [process.execPath, "-e", "0"] },
    ...peers.flatMap((peer) => (peer.skipped ? [] : [{ ...here, ...peer, group: "peer", text: "*" }])),
    { ...warm, id: "warm-allow", name: "warm: allowed" },
    { ...warm, id: "warm-block", name: "warm: blocked", input: block, text: '"permissionDecision":"deny"' },
    { ...warm, id: "warm-ledger", name: "warm: after a call, with its ledger line", input: ledger, ledger: true },
    {
      ...warm,
      id: "warm-rewrite",
      name: "warm: rewritten by a module hook",
      text: '"updatedInput":{"command":"git status && ls -l # seen"}',
      env: rewriting,
    },
    { ...warm, id: "warm-script", name: "warm: a shell command of 2 KB", input: script },
    { ...warm, id: "warm-large", name: "warm: a payload of 1 MB", input: large },
    {
      ...here,
      id: "empty-c-pause",
      name: "empty C process, 50 ms after the last",
      group: "pause",
      command: [tools.empty],
      pauseUs: PAUSE_US,
    },
    {
      ...warm,
      id: "warm-pause",
      name: "warm: with its ledger line, 50 ms after the last",
      group: "pause",
      input: ledger,
      ledger: true,
      pauseUs: PAUSE_US,
    },
    { ...cold, id: "cold-client", name: "cold: the client becomes node" },
    { ...cold, id: "cold-ledger", name: "cold: the client, with its ledger line", input: ledger, ledger: true },
    { ...cold, id: "cold-launcher", name: "cold: the launcher becomes node", command: [launcher, ...HOOK] },
    { ...cold, id: "no-image", name: "no image: bin/holdfast by node", command: [process.execPath, program, ...HOOK] },
  ];
}

/** Of a person's own, in TypeScript's place: the only way a call is rewritten, since no built-in hook does it. */
function writeRewritingConfig(scratch) {
  scratch.write(
    "rewriting/seen.mjs",
    `import { defineHook } from "holdfast";
export default defineHook({
  name: "seen",
  on: ["pre_tool_use"],
  when: { kind: "shell" },
  judge: (event) =>
    event.tool.command.endsWith("# seen") ? undefined : { rewrite: { command: \`\${event.tool.command} # seen\` } },
});
`,
  );
  const config = { version: 1, hooks: { pre_tool_use: [{ hooks: [{ type: "module", path: "./seen.mjs" }] }] } };
  scratch.write("rewriting/holdfast.json", JSON.stringify(config));
  return `${scratch.dir}/rewriting`;
}
