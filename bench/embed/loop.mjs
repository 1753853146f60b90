// node bench/embed/loop.mjs N: the loop of one subject, in a process that has nothing else to do, as an agent's is.
// Says when it is ready. For each line it reads it then makes a turn of calls, and prints how long each took, in µs; the last
// turn is an empty list.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { root } from "../../scripts/ensure.mjs";
import { SUBJECTS, TURN } from "./subjects.mjs";

const { createHoldfast, defineHook, loadHooks } = await import(join(root, "dist/index.js"));
const { bare, rules, inCode, loads, calls, warmUp } = SUBJECTS[Number(process.argv[2])];
const scratch = mkdtempSync(join(tmpdir(), "holdfast-bench-embed-"));
const found = () => "found";
const fileOf = (call) => `file-${call}.txt`;

async function opened() {
  const [config, cwd] = [join(scratch, "config"), join(scratch, "project")];
  mkdirSync(join(cwd, ".git"), { recursive: true });
  mkdirSync(config);
  // What an agent reads is mostly there.
  for (let call = 0; call < warmUp + calls; call++) writeFileSync(join(cwd, fileOf(call)), "");
  writeFileSync(join(config, "holdfast.yaml"), rules);
  const hook = `defineHook({ name: "module", on: ["pre_tool_use"], judge: () => undefined })`;
  writeFileSync(join(config, "hook.ts"), `import { defineHook } from "holdfast";\nexport default ${hook};\n`);
  writeFileSync(join(config, "hook.sh"), "#!/bin/sh\nread -r _\necho '{}'\n");
  chmodSync(join(config, "hook.sh"), 0o755);
  const env = {
    PATH: process.env.PATH,
    HOME: scratch,
    HOLDFAST_CONFIG_DIR: config,
    HOLDFAST_STATE_DIR: join(scratch, "state"),
  };
  const tools = { lookup: { kind: "read", paths: ["path"] } };
  const hooks = [
    ...(inCode ? [defineHook({ name: "in-code", on: ["pre_tool_use"], judge: () => undefined })] : []),
    ...(loads ? await loadHooks(join(config, "hook.ts"), { env }) : []),
  ];
  return createHoldfast({ cwd, env, tools, hooks, host: "bench" });
}

function loopOf(holdfast) {
  const session = holdfast.session({ agent: "bench", user: "mona" });
  session.startTurn();
  return async (call) => {
    const outcome = await session.callTool({
      name: "lookup",
      input: { path: fileOf(call) },
      id: `c${call}`,
      run: found,
    });
    if (outcome.status !== "ran") throw new Error(`a call was blocked: ${outcome.reason}`);
  };
}

async function takeTurns(one) {
  for (let call = 0; call < warmUp; call++) await one(call);
  console.log("ready");
  let call = 0;
  for await (const _ of createInterface({ input: process.stdin })) {
    const times = [];
    for (const end = Math.min(call + TURN, calls); call < end; call++) {
      const startedAt = performance.now();
      await one(warmUp + call);
      times.push((performance.now() - startedAt) * 1000);
    }
    console.log(JSON.stringify(times));
  }
}

try {
  const holdfast = bare ? undefined : await opened();
  await takeTurns(holdfast ? loopOf(holdfast) : async () => found());
  await holdfast?.close();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
