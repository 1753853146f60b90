/**
 * Ends this process soon. `process.exit` waits for every worker to end, and one whose module waits for a program or a
 * file ends only when that does: the host's time would pass with our answer given, which hosts take for consent.
 */
import { readdirSync, readFileSync } from "node:fs";
import type { Worker } from "node:worker_threads";

type EndingProcess = Pick<NodeJS.Process, "on" | "exit" | "exitCode">;

export class PromptExit {
  readonly #process: EndingProcess;
  readonly #running = new Set<Worker>();

  /** To be made before any worker is. */
  constructor(process: EndingProcess) {
    this.#process = process;
    process.on("worker", (worker: Worker) => {
      this.#running.add(worker);
      worker.once("exit", () => this.#running.delete(worker));
    });
  }

  now(exitCode: number): void {
    this.#process.exitCode = exitCode;
    if (this.#running.size === 0) return this.#process.exit();
    killProgramsOfWorkers();
    for (const worker of this.#running) {
      void worker.terminate();
      worker.once("exit", () => this.#running.size === 0 && this.#process.exit());
    }
    // Not before: a worker that just wakes up would find the process half gone, and bring it down with another code.
    setTimeout(() => exitWithoutWaiting(exitCode), ENDING_MS);
  }
}

/** What a worker takes to end that nothing holds up any more. */
const ENDING_MS = 200;

/** They have our standard error, and a host may wait until nobody has it any more. */
function killProgramsOfWorkers(): void {
  // What the main thread started (a daemon, a hand-in) is to outlive us. Only Linux tells whose a program is.
  for (const thread of namesIn("/proc/self/task")) {
    if (Number(thread) !== process.pid) for (const program of childrenOf("self", thread)) killWithAllBelow(program);
  }
}

function killWithAllBelow(pid: number): void {
  for (const thread of namesIn(`/proc/${pid}/task`))
    for (const below of childrenOf(pid, thread)) killWithAllBelow(below);
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function childrenOf(pid: number | "self", thread: string): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1").split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Of all that Node offers, only this ends a process with an exit code and does not wait for its threads. */
function exitWithoutWaiting(exitCode: number): void {
  try {
    const { WASI } = process.getBuiltinModule("node:wasi");
    const wasi = new WASI({ version: "preview1", returnOnExit: false });
    const { WebAssembly: wasm } = globalThis as unknown as { WebAssembly: { Memory: new (size: object) => object } };
    wasi.initialize({ exports: { memory: new wasm.Memory({ initial: 1 }) } });
    const { proc_exit: exit } = wasi.wasiImport as { readonly proc_exit: (code: number) => void };
    exit(exitCode);
  } catch {
    process.exit(exitCode);
  }
}
