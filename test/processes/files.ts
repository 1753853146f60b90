/** Tests that start a process or a worker for nearly every line they assert: too slow for `npm test`. */
export const PROCESS_TESTS = [
  "test/hook-process/**/*.test.ts",
  "test/daemon/**/*.test.ts",
  "test/hot-path.test.ts",
  "test/verdict-parity.test.ts",
  "src/custom/module-{host,kept,pins,turn,understudy}.test.ts",
];
