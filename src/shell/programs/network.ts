/** Programs that send: whether what they send is a secret. */
import { type Arg, arg, texts } from "../arg.ts";
import type { CommandEffect } from "../effect.ts";
import { addressOf, sourcesOf } from "../executed.ts";
import type { Invocation } from "../invocation.ts";
import { readOptions } from "../options.ts";
import type { Program, ProgramContext, Programs } from "../programs.ts";
import { privateOf, secretOf } from "../secret-files.ts";

/** Programs that print what is in files. */
const SHOWS =
  /^(cat|head|tail|less|more|bat|base64|xxd|hexdump|od|strings|grep|egrep|rg|sed|awk|gzip|tar|zip|openssl|sort|cut|jq|yq|tr|nl|tac|gpg|dd|cp)$/;

const SECRET_VARIABLE = /\$\{?\w*(SECRET|TOKEN|PASSWORD|API_?KEY|PRIVATE_?KEY)\w*/;

/** Secrets among what flows through these programs. */
function secretIn(invocations: readonly Invocation[], { target }: ProgramContext): string | undefined {
  for (const { program, args, redirects, source } of sourcesOf(invocations)) {
    if (
      (program === "env" ||
        program === "printenv" ||
        program === "export" ||
        program === "set" ||
        program === "declare") &&
      wholeEnvironment(program, args)
    )
      return "the whole environment";
    if (/^(echo|printf)$/.test(program) && SECRET_VARIABLE.test(source)) return "a secret variable";
    const files = [
      ...(SHOWS.test(program) ? args : []),
      ...redirects.filter(({ direction }) => direction === "read").map((redirect) => redirect.target),
    ];
    for (const file of files) {
      const secret = file.text.startsWith("-")
        ? undefined
        : privateOf(target({ ...file, text: file.text.replace(/^if=/, "") }));
      if (secret) return secret;
    }
  }
  return undefined;
}

const wholeEnvironment = (program: string, args: readonly Arg[]) =>
  program === "env" || program === "printenv" || program === "set"
    ? args.length === 0 || args.every(({ text }) => /^-[0v]$/.test(text))
    : args.length === 0 || args[0]?.text === "-p" || args[0]?.text === "-x";

const isHere = (address: string) =>
  /^(\w+:\/\/)?([^@/]*@)?(localhost|127\.|\[?::1|0\.0\.0\.0|host\.docker\.internal|[\w-]+\.local\b)/.test(address);

const exfiltrate = (secret: string | undefined, to: string): CommandEffect[] =>
  secret && !isHere(to) ? [{ type: "exfiltrate", secret, to }] : [];

/** What comes on stdin and what is spliced into the words. */
const carriedSecret = ({ stdin, args }: Invocation, context: ProgramContext): string | undefined => {
  if (stdin.type === "file") return secretOf(context.target(stdin.path));
  const spliced = args.flatMap(({ from }) => from ?? []);
  return secretIn([...(stdin.type === "pipe" ? stdin.producers : []), ...spliced], context);
};

const DATA = [
  "d",
  "data",
  "data-binary",
  "data-raw",
  "data-urlencode",
  "data-ascii",
  "F",
  "form",
  "T",
  "upload-file",
  "json",
  "post-file",
  "body-file",
  "post-data",
  "body-data",
];

const http: Program = (invocation, context) => {
  const { args } = invocation;
  const to = addressOf(invocation);
  const sent = args.flatMap(({ text }, index): Arg[] => {
    const before = args[index - 1]?.text ?? "";
    const inline = /^(?:-[dFT]|--(?:data[\w-]*|form|upload-file|json|post-file|body-file)=)(.+)$/s.exec(text)?.[1];
    const value =
      inline ?? (DATA.some((name) => before === (name.length === 1 ? `-${name}` : `--${name}`)) ? text : undefined);
    if (value === undefined)
      return /^\w*@\S+/.test(text) && !text.includes("://") && invocation.program !== "curl"
        ? [arg(text.slice(text.indexOf("@") + 1))]
        : [];
    const isFile = /^(-T|--upload-file|--post-file|--body-file)/.test(inline === undefined ? before : text);
    const file = isFile ? value : /(?:^|=)[@<]([^;]+)/.exec(value)?.[1];
    return file ? [arg(file)] : [];
  });
  const file = sent.map((item) => secretOf(context.target(item))).find(Boolean);
  const reads = sent.some(({ text }) => text === "-") || args.some(({ text }) => text === "@-" || text.endsWith("=@-"));
  const spliced = secretIn(
    args.flatMap(({ from }) => from ?? []),
    context,
  );
  return exfiltrate(
    file ?? spliced ?? (reads || invocation.stdin.type === "pipe" ? carriedSecret(invocation, context) : undefined),
    to,
  );
};

/** `nc -e /bin/sh host`, `socat TCP:host EXEC:sh`: whoever is at the other end gives the commands. */
const remoteShell = (invocation: Invocation): CommandEffect[] =>
  invocation.args.some(({ text }) => /^(-\w*e|--exec|--sh-exec|-c)$|^(EXEC|SYSTEM):/i.test(text)) &&
  /sh|cmd|EXEC/i.test(texts(invocation.args).join(" "))
    ? [
        {
          type: "run-remote-code",
          source: texts(invocation.args).find((word) => /\w\.\w|^TCP/i.test(word)) ?? invocation.program,
        },
      ]
    : [];

const socket: Program = (invocation, context) => [...raw(invocation, context), ...remoteShell(invocation)];

const raw: Program = (invocation, context) =>
  exfiltrate(
    carriedSecret(invocation, context),
    texts(invocation.args)
      .filter((word) => !word.startsWith("-"))
      .join(" ") || invocation.program,
  );

/** scp, rsync, sftp, aws s3 cp …: files to a host. */
const copyOut: Program = ({ args }, { target }) => {
  const { operands } = readOptions(args, {
    valued: ["i", "P", "o", "F", "e", "rsh", "c", "l", "S", "J", "exclude", "include", "profile", "region", "acl"],
  });
  const to = operands.at(-1)?.text ?? "";
  if (!/^([\w.-]+@)?[\w.-]+:(?!\\)|^\w+:\/\//.test(to)) return [];
  const secret = operands
    .slice(0, -1)
    .map(
      (file) =>
        secretOf(target(file)) ??
        (/(^|\/)\.(ssh|aws|gnupg|kube)\/?$/.test(target(file).path ?? "") ? "a directory of keys" : undefined),
    )
    .find(Boolean);
  return exfiltrate(secret, to);
};

const cloudCopy: Program = (invocation, context) =>
  texts(invocation.args).some((word) => /^(cp|sync|mv|copy|copyto|rsync|upload)$/.test(word))
    ? copyOut(
        {
          ...invocation,
          args: invocation.args.filter(({ text }) => !/^(s3|cp|sync|mv|storage|copy|copyto|rsync)$/.test(text)),
        },
        context,
      )
    : [];

const mail: Program = (invocation, context) => {
  const at = invocation.args.findIndex(({ text }) => /^(-a|-A|--attach)$/.test(text));
  const attached =
    at >= 0 && invocation.args[at + 1] ? secretOf(context.target(invocation.args[at + 1] as Arg)) : undefined;
  return exfiltrate(attached ?? carriedSecret(invocation, context), texts(invocation.args).at(-1) ?? "mail");
};

const stored = (written: string, path: string) => ({ written, path, contents: false, glob: false });

export const NETWORK: Programs = {
  curl: http,
  wget: http,
  http,
  https: http,
  xh: http,
  "invoke-webrequest": http,
  nc: socket,
  ncat: socket,
  netcat: socket,
  socat: socket,
  telnet: raw,
  openssl: (invocation, context) => (texts(invocation.args)[0] === "s_client" ? raw(invocation, context) : []),
  ssh: raw,
  nslookup: raw,
  dig: raw,
  host: raw,
  ping: raw,
  scp: copyOut,
  rsync: copyOut,
  sftp: copyOut,
  rclone: cloudCopy,
  aws: cloudCopy,
  gsutil: cloudCopy,
  gcloud: cloudCopy,
  security: ({ args }) =>
    /^find-\S+-password$/.test(args[0]?.text ?? "") && args.some(({ text }) => /^-\w*[wg]$/.test(text))
      ? [{ type: "read", path: stored("the keychain", "/Library/Keychains/login.keychain") }]
      : [],
  gpg: ({ args }) =>
    args.some(({ text }) => /^--export-secret/.test(text))
      ? [{ type: "read", path: stored("secret keys", "/.gnupg/secret") }]
      : [],
  mail,
  sendmail: mail,
  mutt: mail,
  gh: (invocation, context) =>
    texts(invocation.args)[0] === "gist"
      ? [
          ...raw(invocation, context),
          ...exfiltrate(
            invocation.args
              .slice(2)
              .map((file) => secretOf(context.target(file)))
              .find(Boolean),
            "a gist",
          ),
        ]
      : [],
};
