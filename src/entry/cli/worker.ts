/** `holdfast worker`: takes runs from the queue and drives them. */
import { HoldfastError } from "../../core/errors.ts";
import { queueOf } from "../run/enqueue.ts";
import { type WorkerNews, work, workerName } from "../run/worker.ts";
import { type CommandCall, type ExitCode, textFlag } from "./command.ts";
import { withRuns } from "./open-runs.ts";

const DEFAULT_GRACE_SECONDS = 30;

export const run = async (call: CommandCall): Promise<ExitCode> => {
  if (call.env.HOLDFAST_RUN_ID)
    throw new HoldfastError("HF1046", `run ${call.env.HOLDFAST_RUN_ID} cannot be a worker for other runs`);
  return withRuns(call, async (runs) => {
    const queue = queueOf(runs);
    const { output, flags } = call;
    const concurrency = count(call, "concurrency") ?? runs.worker.concurrency ?? 1;
    const graceMs = (count(call, "grace") ?? DEFAULT_GRACE_SECONDS) * 1000;
    const { stop, handBack } = stopping(graceMs, output.note);
    const { repositories, backends } = runs.worker;
    const ofWhat = `${repositories?.join(", ") ?? "every repository"}; ${backends?.join(", ") ?? "every backend"}`;
    output.note(`worker ${workerName()} takes ${concurrency} at a time of ${ofWhat}`);
    const onNews = (news: WorkerNews) => {
      if (output.json) output.line(JSON.stringify({ at: new Date().toISOString(), worker: workerName(), ...news }));
      else output.line(`${news.run ?? "-"}  ${news.kind}  ${news.text}`);
    };
    await work(runs, queue, { concurrency, isUntilEmpty: flags["until-empty"] === true, stop, handBack, onNews });
    return 0;
  });
};

/** The first signal ends taking, and after a while what goes on; the second ends that at once. */
function stopping(graceMs: number, say: (text: string) => void): { stop: AbortSignal; handBack: AbortSignal } {
  const stop = new AbortController();
  const handBack = new AbortController();
  const onSignal = () => {
    if (stop.signal.aborted) return handBack.abort();
    say(`takes nothing more; what goes on has ${graceMs / 1000} s, then another worker goes on with it`);
    stop.abort();
    setTimeout(() => handBack.abort(), graceMs).unref();
  };
  process.removeAllListeners("SIGINT");
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return { stop: stop.signal, handBack: handBack.signal };
}

function count(call: CommandCall, name: string): number | undefined {
  const text = textFlag(call, name);
  if (text === undefined) return undefined;
  if (/^\d{1,5}$/.test(text) && (name !== "concurrency" || Number(text) > 0)) return Number(text);
  throw new HoldfastError("HF701", `--${name} ${text} is no whole number`, { hint: `--${name} 2` });
}
