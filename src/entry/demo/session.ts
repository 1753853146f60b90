/** The scripted agent session of the demo: what an agent might do in an afternoon, good and bad. */
export type Step =
  | { readonly kind: "start" }
  | { readonly kind: "prompt"; readonly text: string }
  | {
      readonly kind: "tool";
      readonly tool: string;
      readonly input: Readonly<Record<string, string>>;
      readonly shows: string;
    }
  | { readonly kind: "stop"; readonly says: string; readonly shows: string };

const shell = (command: string, shows: string): Step => ({ kind: "tool", tool: "Bash", input: { command }, shows });

export const sessionSteps = (projectDir: string): readonly Step[] => [
  { kind: "start" },
  { kind: "prompt", text: "Tidy up, fix the total and deploy." },
  shell("ls", "ordinary work is left alone"),
  shell("rm -rf build && ls", "a command hook in sh says no, and what to do instead"),
  shell("mkdir -p build && mv build build.old", "what it suggested is allowed"),
  {
    kind: "tool",
    tool: "Read",
    input: { file_path: `${projectDir}/.env` },
    shows: "secrets stay unread: one line of YAML",
  },
  {
    kind: "tool",
    tool: "Write",
    input: { file_path: `${projectDir}/app.js`, content: "export const total = (prices) => prices.length;\n" },
    shows: "edits are allowed",
  },
  shell("node app.test.js", "the call fails, and a hook tells the model what to do about it"),
  {
    kind: "tool",
    tool: "Write",
    input: {
      file_path: `${projectDir}/app.js`,
      content: "export const total = (prices) => prices.reduce((sum, price) => sum + price, 0);\n",
    },
    shows: "so it mends its mistake",
  },
  shell("node app.test.js", "and checks it"),
  {
    kind: "tool",
    tool: "Edit",
    input: { file_path: `${projectDir}/holdfast.yaml`, old_string: "version: 1", new_string: "version: 1 # weaker" },
    shows: "the rules themselves are out of its reach",
  },
  shell("holdfast trust", "and so is a person's signature"),
  shell("./deploy.sh prod", "a TypeScript hook rewrites the call: it runs as a dry run"),
  { kind: "tool", tool: "mcp__crm__delete_customer", input: { id: "42" }, shows: "some calls need a person" },
  {
    kind: "tool",
    tool: "WebFetch",
    input: { url: "http://localhost/", prompt: "read" },
    shows: "a guard that crashes does not let the call through",
  },
  { kind: "stop", says: "Everything is done.", shows: "the turn may not end like that" },
  { kind: "stop", says: "Done; checked with node app.test.js.", shows: "like this it may" },
];
