/** What a person sees while a run is driven: a board that is drawn again on a terminal, plain lines elsewhere. */
import type { Run } from "../../runs/run.ts";
import type { RunStore } from "../../runs/store.ts";
import type { Output, Stream } from "./output.ts";
import { headLine, taskLines } from "./run-view.ts";
import { visible } from "./visible.ts";

export interface RunBoard {
  /** What the backend says and does. */
  progress(line: string): void;
  /** Draws no more; what stands there stays. */
  stop(): Promise<void>;
}

export interface BoardPlace {
  readonly store: Pick<RunStore, "read">;
  readonly output: Output;
  /** Where it is drawn: standard error, so that the result stays alone on standard output. */
  readonly stream: Stream & { readonly columns?: number };
}

/** A run is asked for so often; it is one small file. */
const LOOK_EVERY_MS = 250;
const LAST_LINES = 5;

export function watchRun(id: string, place: BoardPlace): RunBoard {
  if (place.output.json) return { progress: () => {}, stop: async () => {} };
  const view = place.stream.isTTY ? drawnBoard(place) : plainLines(place);
  let run: Run | undefined;
  const look = async () => {
    const now = await place.store.read(id).catch(() => undefined);
    if (!now || now.version === run?.version) return;
    const before = run;
    run = now;
    view.changed(now, before);
  };
  let looking = look();
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, LOOK_EVERY_MS);
  return {
    progress: (line) => view.said(line),
    async stop() {
      clearInterval(timer);
      await looking;
      await look();
      view.end();
    },
  };
}

interface View {
  changed(run: Run, before: Run | undefined): void;
  said(line: string): void;
  end(): void;
}

function drawnBoard({ output, stream }: BoardPlace): View {
  const width = stream.columns ?? 80;
  let last: string[] = [];
  let drawn = 0;
  let current: Run | undefined;
  const draw = () => {
    if (!current) return;
    const lines = [
      headLine(current, output),
      ...taskLines(current.tasks, output),
      ...last.map((line) => output.paint("dim", `  | ${line}`)),
    ].map((line) => cut(line, width));
    // Up to where the board began, and everything below cleared.
    stream.write(`${drawn > 0 ? `\u001b[${drawn}A\u001b[0J` : ""}${lines.join("\n")}\n`);
    drawn = lines.length;
  };
  return {
    changed(run) {
      current = run;
      draw();
    },
    said(line) {
      last = [...last, ...visible(line).split("\n")].slice(-LAST_LINES);
      draw();
    },
    end() {
      last = [];
      draw();
    },
  };
}

function plainLines({ output }: BoardPlace): View {
  return {
    changed(run, before) {
      for (const line of changesBetween(before, run, output)) output.note(line);
    },
    said(line) {
      for (const each of line.split("\n")) output.note(`  | ${each}`);
    },
    end() {},
  };
}

/** What a person should hear of: the run's status, its attempts, its tasks. */
export function changesBetween(before: Run | undefined, run: Run, output: Output): string[] {
  if (!before) return [headLine(run, output), ...taskLines(run.tasks, output)];
  const attempt = run.attempts.at(-1);
  return [
    ...(run.attempts.length > before.attempts.length && attempt ? [`attempt ${attempt.number} begins`] : []),
    ...run.tasks.flatMap((task) => {
      const was = before.tasks.find(({ id }) => id === task.id);
      if (!was) return [`task ${task.id} added: ${task.title}`];
      return was.status === task.status ? [] : [`task ${task.id}: ${was.status} -> ${task.status}`];
    }),
    ...before.tasks.filter(({ id }) => !run.tasks.some((task) => task.id === id)).map(({ id }) => `task ${id} deleted`),
    ...(run.status === before.status ? [] : [`run ${run.id} is ${run.status}`]),
  ];
}

/** Colour codes take no room. */
function cut(line: string, width: number): string {
  let room = width - 1;
  let result = "";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with ESC
  for (const part of line.split(/(\u001b\[\d+m)/)) {
    if (part.startsWith("\u001b")) result += part;
    else {
      result += part.slice(0, room);
      room = Math.max(0, room - part.length);
    }
  }
  return result;
}
