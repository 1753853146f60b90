/** Whether a command really runs the tests, and whether its success is the tests' success. */
import type { Invocation } from "../shell/invocation.ts";
import { walkCommand } from "../shell/walk.ts";

/** The predecessor's nineteen. A pattern is a command's first words, or a script's name. */
export const DEFAULT_TEST_PATTERNS: readonly string[] =
  "test,pytest,cargo test,npm test,npx test,go test,mvn test,gradle test,gradlew test,jest,vitest,mocha,junit,ruff,lint,eslint,golangci-lint,checkstyle,clippy".split(
    ",",
  );

/** A run whose exit code says how the tests went: `npm test | tail` and `npm test; true` do not. */
export function isTestRun(command: string, patterns: readonly string[]): boolean {
  const { invocations } = walkCommand(command, { cwd: "/", homeDir: "/" });
  const tests = invocations.filter((invocation) => runsTests(invocation, patterns));
  const last = tests.at(-1);
  if (!last) return false;
  const piped = invocations.some(({ stdin }) => stdin.type === "pipe" && stdin.producers.includes(last));
  const after = command.slice(command.lastIndexOf(last.source) + last.source.length).trim();
  const masked = after !== "" && !after.startsWith("&&") && !/^\d?>/.test(after) && !/^[)}'"#]/.test(after);
  return !piped && !masked;
}

function runsTests({ program, args }: Invocation, patterns: readonly string[]): boolean {
  if (READS_ONLY.has(program)) return false;
  const operands = args.map(({ text }) => text).filter((text) => !text.startsWith("-"));
  const words = [
    program,
    ...operands.map((word, index) => (index === 0 ? word.slice(word.lastIndexOf("/") + 1) : word)),
  ];
  return patterns.some((pattern) => {
    const wanted = pattern
      .toLowerCase()
      .trim()
      .replace(/^\S*\//, "")
      .split(/\s+/);
    if (wanted.length > 1) return wanted.every((word, index) => words[index]?.toLowerCase() === word);
    const [name] = wanted as [string];
    return named(program, name) || (RUNNERS.has(program) && words.slice(1, 4).some((word) => named(word, name)));
  });
}

/** `test`, `test:unit`, `unit-test`, `gradlew` for `./gradlew`. */
const named = (word: string, name: string) => {
  const text = word.toLowerCase();
  return (
    text === name ||
    text.startsWith(`${name}:`) ||
    text.endsWith(`:${name}`) ||
    text.startsWith(`${name}-`) ||
    text.endsWith(`-${name}`)
  );
};

const READS_ONLY = new Set(
  "git ls cat grep rg echo printf cd find head tail less more sed awk cp mv rm mkdir touch test [".split(" "),
);
const RUNNERS = new Set(
  "sh bash zsh dash node npm yarn pnpm bun npx bunx make gmake just task cargo go mvn mvnw gradle gradlew rake bundle deno dotnet swift mix tox nox python python3 poetry uv pipenv hatch composer php phpunit ant bazel buck meson ninja ctest cmake sbt lein stack cabal dune zig flutter dart nx turbo lerna docker docker-compose podman ruby perl prove".split(
    " ",
  ),
);
