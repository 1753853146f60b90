// Audit rows as machines send them, from several sources at once, for a while: how many a second, and none lost.
export async function measureAudit(database, { seconds, writers, batch }) {
  const url = await database.fresh();
  const stores = await database.open(url);
  const perSecond = [];
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  const told = await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      let sequence = 0;
      while (performance.now() < endsAt) {
        const rows = Array.from({ length: batch }, () => rowOf(`machine-${writer}`, ++sequence));
        const added = await stores.appendAudit(rows);
        if (added !== batch) throw new Error(`${added} of ${batch} rows were new`);
        const second = Math.floor((performance.now() - startedAt) / 1000);
        perSecond[second] = (perSecond[second] ?? 0) + batch;
      }
      return sequence;
    }),
  );
  const ms = performance.now() - startedAt;
  const rows = told.reduce((sum, count) => sum + count, 0);
  const [from, to] = [new Date(0), new Date(Date.now() + 86_400_000)];
  const buckets = await stores.auditBuckets("personal", from, to, 3_600_000);
  const counted = buckets.flatMap(({ decisions }) => Object.values(decisions)).reduce((sum, count) => sum + count, 0);
  const lasts = await Promise.all(told.map((_, writer) => stores.lastSequence(`machine-${writer}`)));
  await stores.close();
  const whole = perSecond.slice(0, seconds).map((count) => count ?? 0);
  return {
    seconds,
    writers,
    batch,
    rows,
    rowsPerSecond: (rows / ms) * 1000,
    slowestSecond: Math.min(...whole),
    lost: rows - counted + lasts.reduce((sum, last, writer) => sum + Math.abs(last - told[writer]), 0),
  };
}

const DECISIONS = ["allow", "allow", "allow", "allow", "allow", "allow", "allow", "block", "ask", "none"];

function rowOf(source, sequence) {
  const decision = DECISIONS[sequence % DECISIONS.length];
  const session = `${source}-session-${Math.floor(sequence / 500)}`;
  const at = new Date().toISOString();
  const ms = 1 + (sequence % 40);
  const record = JSON.stringify({
    sequence,
    at,
    session,
    event: "pre_tool_use",
    tool: { name: "Bash", kind: "shell", input: { command: `npm run build -- --target service-${sequence % 997}` } },
    decision,
    trace: [
      { hook: "destructive-command", verdict: "none", ms: 0.4 },
      { hook: "protected-paths", verdict: "none", ms: 0.1 },
      { hook: "person-only", verdict: "none", ms: 0.1 },
    ],
    previous: "c0ffee".repeat(10),
  });
  return {
    source,
    sequence,
    organisation: "personal",
    at,
    session,
    event: "pre_tool_use",
    decision,
    tool: "Bash",
    ms,
    record,
  };
}
