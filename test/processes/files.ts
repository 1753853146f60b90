/** Tests that start a process or a worker for nearly every line they assert: too slow for `npm test`. */

/** They tell by the clock who waits for whom: each has the machine to itself. */
export const ALONE = [
  "test/hook-process/**/*.test.ts",
  "test/daemon/**/*.test.ts",
  "test/hot-path.test.ts",
  "test/verdict-parity.test.ts",
  "src/custom/module-{host,kept,pins,turn,understudy}.test.ts",
];

export const TOGETHER = [
  "examples/**/*.test.ts",
  "test/mcp/**/*.test.ts",
  "test/cli/{agent,doctor,explain,output,overrides}.test.ts",
  "src/**/*-processes.test.ts",
  "src/entry/plugin/ask.test.ts",
];

export const PROCESS_TESTS = [...ALONE, ...TOGETHER];
