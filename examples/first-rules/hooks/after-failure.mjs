// After a failed command: tells the agent to read the error before it tries again.
let text = "";
for await (const chunk of process.stdin) text += chunk;
const { failed } = JSON.parse(text);
const hint = "The command failed. Read the first error it printed and fix that before you run it again.";
const answer = { hook_specific_output: { hook_event_name: "post_tool_use", additional_context: hint } };
process.stdout.write(JSON.stringify(failed ? answer : {}));
