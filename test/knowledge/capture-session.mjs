// One capture in a process of its own: root, home, host, session, transcript (or -), ISO time.

import { takeLock } from "../../dist/engine/knowledge.js";
import { captureSession } from "../../dist/knowledge/capture/capture.js";
import { knowledgePlaces } from "../../dist/knowledge/places.js";

const [root, homeDir, host, session, transcript, now] = process.argv.slice(2);
const { file, front, remarks } = await captureSession({
  ...{ host, session, homeDir, takeLock, env: {}, by: "stop", secrets: "redact" },
  transcriptPath: transcript === "-" ? null : transcript,
  now: new Date(now),
  places: knowledgePlaces(root),
  signal: new AbortController().signal,
});
const usage = process.resourceUsage();
console.log(JSON.stringify({ file, segments: front?.segments, remarks, maxRssKiB: usage.maxRSS }));
