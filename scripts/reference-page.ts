/** How a generated page looks. */
export const GENERATED = "Generated from the source by `npm run generate`; do not edit.";
export const page = (title: string, ...parts: string[]) =>
  `<!-- ${GENERATED} -->\n# ${title}\n\n${parts.join("\n\n")}\n`;
const row = (...cells: string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
export const grid = (head: string[], rows: string[][]) =>
  [row(...head), row(...head.map(() => "---")), ...rows.map((cells) => row(...cells))].join("\n");
export const code = (text: string) => `\`${text}\``;
