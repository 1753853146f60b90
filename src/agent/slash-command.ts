/** `/review src` becomes what the command stands for; hooks and the model see only that. */
export function expandSlashCommand(prompt: string, commands: Readonly<Record<string, string>>): string {
  const [, name = "", rest = ""] = /^\/([\w-]+)(?:\s+([\s\S]*))?$/.exec(prompt.trim()) ?? [];
  const template = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (template === undefined) return prompt;
  return template.includes("$ARGUMENTS")
    ? template.split("$ARGUMENTS").join(rest)
    : [template, rest].filter((part) => part !== "").join("\n\n");
}
