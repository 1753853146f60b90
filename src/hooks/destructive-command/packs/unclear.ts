/** The fallback: what could not be understood is stopped where its text names something destructive. */
import { type Pack, rule } from "../rule.ts";

/** Each alternative begins with a literal and has no nested repetition: linear in the text. */
const DESTRUCTIVE: readonly RegExp[] = [
  /(?:^|[^\w.-])rm\s{1,8}-{1,2}\w{0,12}(?:r|R|recursive)/,
  /(?:^|[^\w.-])(?:mkfs|shred|wipefs)[\s.]/,
  /\bdd\s[^\n]{0,200}of=\/dev\//,
  />\s{0,8}\/dev\/(?:sd|nvme|hd|vd|disk)/,
  /\bgit\s{1,8}push\s[^\n;|&]{0,200}(?:--force|-f\b|\s\+\w)/,
  /\bgit\s{1,8}(?:reset\s{1,8}--hard|clean\s{1,8}-\w{0,8}f)/,
  /\bdrop\s{1,8}(?:table|database|schema)\b/i,
  /\btruncate\s{1,8}table\b/i,
  /\bchmod\s{1,8}-R\b/,
  /\bfind\s[^\n;|&]{0,200}-delete\b/,
  /\b(?:curl|wget)\s[^\n;&]{0,200}\|\s{0,8}(?:sudo\s{1,8})?(?:ba|z|da)?sh\b/,
  /\b(?:rmtree|rmSync|rm_rf|rimraf|Remove-Item)\b/,
  /:\(\)\s{0,4}\{/,
  /\b(?:iex|Invoke-Expression|DownloadString)\b/i,
];

export const unclear: Pack = {
  name: "unclear",
  doc: "commands that could not be parsed, judged by their words",
  rules: [
    rule("unclear", {
      id: "unclear/destructive-words",
      severity: "ask",
      why: ({ why }) => `could not be understood (${why.slice(0, 60)}), and its text names something that destroys`,
      instead: "write it as a plain command, one step at a time, or let the person decide.",
      when: ({ text }) => DESTRUCTIVE.some((pattern) => pattern.test(text)),
      stops: [
        "if true; then rm -rf build",
        "rm -rf / $((",
        `echo ${"x".repeat(250_000)}; rm -rf /`,
        "git push --force origin main $(",
      ],
      passes: ["if true; then ls", "echo 'unclosed", "for x in 1 2 3; do echo $x", `echo ${"x".repeat(250_000)}`],
    }),
    rule("unclear", {
      id: "unclear/unseen",
      severity: "ask",
      why: ({ why }) => `${why}: what stands in the rest of the line nobody has seen`,
      instead: "write it in several shorter commands, or let the person decide.",
      when: ({ unseen }) => unseen === true,
      stops: [`${"sudo ".repeat(40)}rm a`],
      passes: [`${"sudo ".repeat(10)}rm a`, "for x in 1 2 3; do echo $x"],
    }),
  ],
};
