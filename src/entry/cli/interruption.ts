/** Ctrl-C cancels what runs, so that nothing it started outlives it; a second one ends the program. */
export function interruption(): AbortSignal {
  const cancelling = new AbortController();
  process.removeAllListeners("SIGINT");
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      cancelling.abort(new Error("interrupted"));
      process.once(signal, () => process.exit(130));
    });
  }
  return cancelling.signal;
}
