/** Commands that other tools run in their turn: containers, terminal multiplexers, package runners. */
import { type Arg, texts } from "./arg.ts";
import { isContainerTool, mountsIn, placeOutside } from "./mounts.ts";
import { readOptions } from "./options.ts";
import type { Unwrap } from "./unwrapped.ts";

/** `docker exec c cmd`, `kubectl exec p -- cmd`: the command runs elsewhere. */
export const container: Unwrap = ({ program, args }) => {
  const { operands } = readOptions(args, {
    stopAtOperand: true,
    valued: ["H", "host", "c", "context", "config", "l", "log-level", "n", "namespace", "kubeconfig"],
  });
  const compose = operands[0]?.text === "compose" ? operands.slice(1) : operands;
  const verb = compose[0]?.text;
  if (verb !== "exec" && verb !== "run") return [];
  const dashes = compose.findIndex(({ text }) => text === "--");
  const options = readOptions(compose.slice(1), { stopAtOperand: true, valued: CONTAINER_VALUES });
  const words = dashes >= 0 ? compose.slice(dashes + 1) : options.operands.slice(1);
  const directory = options.values.get("w") ?? options.values.get("workdir");
  const cwd = directory && isContainerTool(program) ? placeOutside(directory.text, mountsIn(args)) : undefined;
  return words.length > 0
    ? [{ words, via: `${program} ${verb}`, elsewhere: "a container", ...(cwd ? { cwd } : {}) }]
    : [];
};

const CONTAINER_VALUES = [
  "e",
  "env",
  "u",
  "user",
  "w",
  "workdir",
  "v",
  "volume",
  "p",
  "publish",
  "name",
  "network",
  "entrypoint",
  "c",
  "container",
  "n",
  "namespace",
  "env-file",
  "mount",
  "platform",
  "image",
  "m",
  "memory",
  "cpus",
  "h",
  "hostname",
  "l",
  "label",
  "index",
];

export const tmux: Unwrap = ({ program, args }) => {
  const last = args.at(-1);
  const keys = args.findIndex(({ text }) => text === "send-keys" || text === "send");
  if (keys >= 0) {
    const typed = readOptions(args.slice(keys + 1), { valued: ["t"] }).operands.filter(
      ({ text }) => !/^(Enter|C-m|C-\w)$/.test(text),
    );
    return [{ script: joinedText(typed), via: `${program} send-keys` }];
  }
  const starts = args.some(({ text }) =>
    /^(new|new-session|neww|new-window|split-window|splitw|respawn-pane|run|run-shell)$/.test(text),
  );
  return starts && last && /\s/.test(last.text) ? [{ script: last.text, via: program }] : [];
};

export const packageRunner: Unwrap = ({ program, args }) => {
  const options = readOptions(args, { valued: ["p", "package", "c", "call"], stopAtOperand: true });
  const call = options.values.get("c") ?? options.values.get("call");
  if (call) return [{ script: call.text, via: program }];
  const [name, ...rest] = options.operands;
  return name ? [{ words: [{ ...name, text: name.text.replace(/(?<=.)@[^/]*$/, "") }, ...rest], via: program }] : [];
};

/** `npm exec -c 'script'`. */
export const npmCall: Unwrap = ({ args }) => {
  const { operands, values } = readOptions(args, { valued: ["c", "call", "p", "package"] });
  const call = values.get("c") ?? values.get("call");
  return call && /^(exec|x)$/.test(operands[0]?.text ?? "") ? [{ script: call.text, via: "npm exec" }] : [];
};

/** `npm exec x`, `pnpm dlx x`, `yarn dlx x`, `poetry run x`: a verb, then the command. */
export const verbThenCommand =
  (...verbs: string[]): Unwrap =>
  ({ program, args }) => {
    const { operands } = readOptions(args, {
      stopAtOperand: true,
      valued: ["C", "prefix", "filter", "directory", "project"],
    });
    const [verb, ...rest] = operands;
    if (!verb || !verbs.includes(verb.text)) return [];
    // `-n x` picks an environment for conda, and for uv `-n` stands alone: it is read both ways.
    const plain = readOptions(rest, { stopAtOperand: true }).operands;
    const picked = readOptions(rest, { stopAtOperand: true, valued: OF_ENVIRONMENTS }).operands;
    const readings = picked.length === plain.length ? [plain] : [picked, plain];
    return readings.filter(({ length }) => length > 0).map((words) => ({ words, via: `${program} ${verb.text}` }));
  };

/** What picks the environment: `conda run -n x`, `uv run --with x -p 3.12`, `npm exec -p x`. */
const OF_ENVIRONMENTS =
  "n name p prefix python with with-requirements extra group only-group env-file package e environment index-url directory project cwd".split(
    " ",
  );

/** `yarn cdk destroy`: a binary of the project, run by its name. Scripts of the same name mostly are the binary. */
export const localBinary =
  (...verbs: string[]): Unwrap =>
  (invocation) => {
    const { operands } = readOptions(invocation.args, {
      stopAtOperand: true,
      valued: ["C", "cwd", "prefix", "filter", "F", "dir"],
    });
    const words = operands[0]?.text === "run" ? operands.slice(1) : operands;
    return BINARIES.test(words[0]?.text ?? "")
      ? [{ words: words.filter(({ text }) => text !== "--"), via: invocation.program }]
      : verbThenCommand(...verbs)(invocation);
  };

const BINARIES =
  /^(cdk|cdktf|sls|serverless|sst|ampx|amplify|lerna|changeset|nx|semantic-release|release-it|wrangler|vercel|netlify|firebase|supabase|convex|prisma|drizzle-kit|knex|sequelize|typeorm|rimraf|del-cli|pulumi)$/;

/** `doppler run -- cmd`, `aws-vault exec profile -- cmd`: a program with secrets in its environment. */
export const secretsRunner: Unwrap = ({ program, args }) => {
  const verb = args.findIndex(({ text }) => text === "run" || text === "exec");
  if (verb < 0) return [];
  const dashes = args.findIndex(({ text }) => text === "--");
  const words = dashes > verb ? args.slice(dashes + 1) : program === "railway" ? args.slice(verb + 1) : [];
  const script = readOptions(args.slice(verb), { valued: ["command"] }).values.get("command");
  if (script && program !== "op") return [{ script: script.text, via: `${program} run` }];
  return words.length > 0 ? [{ words, via: `${program} run` }] : [];
};

/** `ansible all -m shell -a 'cmd'`: on every machine it knows. */
export const ansible: Unwrap = ({ args }) => {
  const { values } = readOptions(args, {
    valued: ["m", "module-name", "a", "args", "i", "inventory", "l", "limit", "u", "f", "e", "extra-vars"],
  });
  const module = (values.get("m") ?? values.get("module-name"))?.text ?? "command";
  const script = values.get("a") ?? values.get("args");
  return script && /^(ansible\.builtin\.)?(shell|command|raw)$/.test(module)
    ? [{ script: script.text, via: "ansible", elsewhere: "other machines" }]
    : [];
};

const joinedText = (words: readonly Arg[]) => texts(words).join(" ");
