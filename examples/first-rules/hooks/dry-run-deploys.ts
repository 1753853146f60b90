/** Turns a production deploy into a dry run: the agent sees what would happen, and nothing happens. */
import { defineHook } from "holdfast";

export default defineHook({
  name: "dry-run-deploys",
  on: ["pre_tool_use"],
  when: { kind: "shell" },
  onError: "block",
  judge(event, { options }) {
    const { command, input } = event.tool;
    const environments = Array.isArray(options.environments) ? options.environments : ["prod"];
    const deploys = environments.some((name) => command.startsWith(`./deploy.sh ${name}`));
    if (!deploys || command.includes("--dry-run")) return;
    return {
      rewrite: { ...input, command: `${command} --dry-run` },
      context: "The deploy was changed to a dry run. Show its output to the person and ask them to deploy.",
    };
  },
});
