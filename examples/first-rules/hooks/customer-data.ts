/** Changing a customer in the CRM needs a person's yes; reading does not. */
import { defineHook } from "holdfast";

export default defineHook({
  name: "customer-data",
  on: ["pre_tool_use"],
  when: { kind: "mcp" },
  onError: "block",
  judge(event) {
    if (/^(get|list|search)_/.test(event.tool.method)) return;
    return { ask: `${event.tool.method} changes customer data in ${event.tool.server}.` };
  },
});
