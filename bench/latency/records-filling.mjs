// A ledger and an audit as long as years of work would leave them: sealed, rotated, with the head remembered.
import { dist } from "./dist.mjs";

const { withFileLock } = await dist("records/file-lock.js");
const { recordText } = await dist("records/chain.js");
const { openJournal } = await dist("records/journal-writer.js");

const BATCH = 5_000;
const AT = "2026-01-01T00:00:00.000Z";

/** `sessionOf`: the session of the line with that number. */
export function fillRecords(scratch, projectDir, lines, sessionOf) {
  fill(scratch.journal("ledger", projectDir), lines, (line) => ledgerLine(line, sessionOf(line), projectDir));
  fill(scratch.journal("audit", projectDir), lines, (line) => auditLine(line, sessionOf(line)));
}

function fill(journal, lines, recordOf) {
  withFileLock(`${journal.file}.lock`, { createDirectory: true }, (lock) => {
    const fail = ({ message }) => {
      throw new Error(message);
    };
    const writer = openJournal(journal, lock, fail, "on rest");
    try {
      for (let first = 0; first < lines; first += BATCH) {
        const count = Math.min(BATCH, lines - first);
        writer.write(Array.from({ length: count }, (_, index) => recordText(recordOf(first + index))));
      }
      writer.rest();
    } finally {
      writer.close();
    }
  });
}

const ledgerLine = (line, session, cwd) => ({
  timestamp: AT,
  host: "claude-code",
  session,
  agent: null,
  tool_name: "Bash",
  tool_kind: "shell",
  tool_use_id: `call-${line}`,
  cwd,
  input_summary: `npm run step-${line}`,
  success: true,
  output_summary: "ok",
  event_id: `filled-${line}`,
});

const auditLine = (line, session) => ({
  timestamp: AT,
  id: `filled-${line}`,
  host: "claude-code",
  session,
  agent: null,
  event: "pre_tool_use",
  tool: "Bash",
  tool_kind: "shell",
  decision: "none",
  reasons: [],
  hooks: [],
});
