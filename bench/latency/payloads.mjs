// What Claude Code sends, as files that become the stdin of a call.
import { join } from "node:path";

const KIB = 1024;

export function payloadOf(projectDir, changes) {
  return {
    session_id: "bench",
    transcript_path: join(projectDir, "..", "transcript.jsonl"),
    cwd: projectDir,
    permission_mode: "default",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_use_id: "call",
    ...changes,
  };
}

export const before = (command, more = {}) => ({ tool_input: { command }, ...more });

export const after = (command, more = {}) => ({
  hook_event_name: "PostToolUse",
  tool_input: { command },
  tool_response: { stdout: "ok", stderr: "", interrupted: false },
  ...more,
});

export const largeWrite = (projectDir, bytes) => ({
  tool_name: "Write",
  tool_input: {
    file_path: join(projectDir, "notes.txt"),
    content: "a line of some text\n".repeat(Math.ceil(bytes / 20)),
  },
});

/** The kind of line that agents write when they do a lot at once: variables, loops, pipes, redirections, a here-document. */
export const REAL_SCRIPT = fitted(
  `set -euo pipefail
cd packages/web && export NODE_ENV=production
for name in api worker scheduler; do
  if [ -f "services/$name/package.json" ]; then
    (cd "services/$name" && npm ci --no-audit --no-fund 2>&1 | tail -n 3 && npm run build --if-present)
  else
    echo "no $name here" >&2
  fi
done
git fetch origin --prune && git log --oneline origin/main..HEAD | head -20
changed=$(git diff --name-only origin/main...HEAD -- '*.ts' '*.tsx' | sort -u)
test -n "$changed" && npx eslint --max-warnings 0 $changed || echo "nothing to lint"
cat > build/summary.md <<'SUMMARY'
# Build
- commit: to be filled in by the pipeline
- artefacts: build/web.tar.gz, build/api.tar.gz
SUMMARY
sed -i 's/to be filled in/filled in/' build/summary.md
find build -name '*.map' -type f -print0 | xargs -0 -r ls -l | awk '{ bytes += $5 } END { print bytes }'
curl -fsS --max-time 10 http://localhost:3000/health | jq -r '.status' | grep -qx ok && echo healthy
docker compose ps --format '{{.Name}} {{.State}}' | while read -r name state; do printf '%s: %s\\n' "$name" "$state"; done
`,
  2 * KIB,
);

function fitted(script, bytes) {
  let text = script;
  for (let step = 1; text.length < bytes; step++)
    text += `printf 'step ${step}: %s\\n' "$(date -u +%H:%M:%S)" >> log.txt\n`;
  return text;
}
