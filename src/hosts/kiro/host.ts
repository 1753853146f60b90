import type { Host } from "../host.ts";
import { codec } from "./codec.ts";
import { support } from "./support.ts";
import { tools } from "./tools.ts";

export const kiro = {
  id: "kiro",
  title: "Kiro",
  provenVersion: "documented",
  codec,
  support,
  tools,
  shellProbe: { event: "preToolUse", tool: "execute_bash" },
  markers: ["KIRO_SESSION_ID"],
  maxContextCharacters: 8_500,
} as const satisfies Host;
