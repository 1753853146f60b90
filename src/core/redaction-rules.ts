/**
 * What a secret looks like, as data. Every pattern takes linear time on any input: a run is bounded, or can start only
 * where the run itself starts, or always ends in a match.
 */
export interface RedactionRule {
  readonly kind: string;
  /** One of these, in lower case, is part of every match: a text that has none is not searched. */
  readonly hints: readonly string[];
  readonly pattern: RegExp;
}

/** The whole match is the secret. */
export const TOKEN_RULES: readonly RedactionRule[] = [
  {
    kind: "private-key",
    hints: ["private key"],
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)?-----(?=[\s\\nr]{0,8}(?:[A-Za-z0-9+/=]{16}|Proc-Type|Version|Comment))[^"'`<>{}$]*?(?:-----END [A-Z0-9 ]{0,60}-----|(?![^"'`<>{}$]))/g,
  },
  { kind: "age-key", hints: ["age-secret-key-1"], pattern: /\bAGE-SECRET-KEY-1[A-Z0-9]{50,}/g },
  { kind: "jwt", hints: [".eyj"], pattern: /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*/g },
  {
    kind: "aws-key",
    hints: ["akia", "asia", "abia", "acca", "a3t"],
    pattern: /\b(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g,
  },
  {
    kind: "github-token",
    hints: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
    pattern: /\b(?:gh[pousr]_[A-Za-z0-9_]{30,}|github_pat_[A-Za-z0-9_]{22,})/g,
  },
  {
    kind: "gitlab-token",
    hints: ["gl"],
    pattern: /\bgl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[\w.-]{20,}/g,
  },
  { kind: "slack-token", hints: ["xox", "xapp-"], pattern: /\b(?:xox[a-z]|xapp-\d)-[A-Za-z0-9-]{10,}/g },
  {
    kind: "slack-webhook",
    hints: ["hooks.slack.com"],
    pattern: /\bhooks\.slack\.com\/(?:services|workflows|triggers)\/[\w/-]{20,}/g,
  },
  { kind: "npm-token", hints: ["npm_"], pattern: /\bnpm_[A-Za-z0-9]{36,}/g },
  {
    kind: "stripe-key",
    hints: ["k_live_", "k_test_", "whsec_"],
    pattern: /\b(?:[sr]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{20,})/g,
  },
  { kind: "anthropic-key", hints: ["sk-ant-"], pattern: /\bsk-ant-[\w-]{16,}/g },
  {
    kind: "openai-key",
    hints: ["sk-"],
    pattern: /\bsk-(?:(?:proj|svcacct|admin|None|or-v1)-[\w-]{16,}|[A-Za-z0-9]{32,})/g,
  },
  {
    kind: "google-key",
    hints: ["aiza", "ya29.", "gocspx-"],
    pattern: /\b(?:AIza[\w-]{35}|ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,})/g,
  },
  {
    kind: "service-token",
    hints: ["hf_", "gsk_", "dckr_pat_", "dop_v1_", "lin_api_", "pplx-", "xai-"],
    pattern: /\b(?:hf_|gsk_|dckr_pat_|dop_v1_|lin_api_|pplx-|xai-)[A-Za-z0-9]{26,}/g,
  },
  {
    kind: "service-token",
    hints: ["pypi-age", "sg.", "hvs.", "hvb."],
    pattern: /\b(?:pypi-AgE[\w-]{50,}|SG\.[\w-]{16,32}\.[\w-]{16,64}|hv[sb]\.[\w-]{24,})/g,
  },
];

const raw = String.raw;

// A variable, a placeholder or an earlier redaction names a secret without being one.
const NOT_A_REFERENCE = raw`(?!["']?(?:\$(?:[{(]|[A-Za-z_]\w{0,63}(?=["'\s;&|),/@\\]|$))|%\w{1,64}%|<|\{\{|\*{3}|\[redacted:))`;
// In source code the right-hand side is an expression more often than a secret.
const NOT_AN_EXPRESSION = raw`(?!(?:none|null|nil|true|false|undefined)\b|(?:process\.env|self|this|args|config|options)\.|[\w.]{1,64}[([])`;
// In a help text a word for the value stands in its place.
const NOT_A_METAVARIABLE = raw`(?!(?:string|value|text|token|password|secret|key)\b)`;
const NOT_A_PATH = raw`(?!~?\.{0,2}/[a-z.]{1,12}/|~/)`;

const PASSWORD_NAME = "(?:password|passwd|passphrase)";
const PASSWORD_HINTS = ["passw", "passphrase"];
const KEY_NAME = "(?:secret|token|(?:api|access|secret|private|signing|encryption|account|auth|master)[_-]?key)";
const KEY_HINTS = ["secret", "token", "key"];

// An unclosed quote still holds the secret: summaries are cut.
const SHELL_VALUE = raw`${NOT_A_REFERENCE}(?:"(?:[^"\\\n]|\\[^\n]){1,4096}"?|'[^'\n]{1,4096}'?|[^\s"'${"`"};&|<>()]{1,4096})`;
const SAME_COMMAND = raw`[^\n|;&]{0,200}?`;
const AUTHORIZATION = raw`\bauthorization\\{0,3}["']?\s{0,4}[:=]\s{0,4}\\{0,3}["']?`;

/** Group 1 says what follows, and stays; the rest of the match is the secret. */
export const CONTEXT_RULES: readonly RedactionRule[] = [
  // A password may hold an `@`: the host starts after the last one.
  rule("url-password", ["://"], raw`(:\/\/[^\s:@/?#"'<>[]{0,256}:)${NOT_A_REFERENCE}[^\s/"'<>]{1,1024}(?=@)`),
  rule("url-password", ["://"], raw`(:\/\/)[\w.~%+-]{20,256}(?=@)`),
  rule(
    "authorization",
    ["authorization"],
    raw`(${AUTHORIZATION}(?:bearer|basic|token|digest|negotiate|apikey)\s{1,4})${NOT_A_REFERENCE}[^\s"'\\]{4,}`,
    "i",
  ),
  rule(
    "authorization",
    ["authorization"],
    raw`(${AUTHORIZATION})${NOT_A_REFERENCE}(?=[^\s"'\\0-9]{0,64}[0-9])[^\s"'\\]{16,}`,
    "i",
  ),
  rule("authorization", ["bearer"], raw`(\bbearer\s{1,4})(?=[A-Za-z._~+/-]{0,200}[0-9])[\w.~+/-]{20,}=*`, "i"),
  rule("cookie", ["cookie:"], raw`(\bcookie:\s{0,4})(?=[\w.-]{1,64}=)[^\r\n"']{1,4096}`, "i"),
  rule(
    "flag",
    [...PASSWORD_HINTS, "-pass", "token", "secret", "api"],
    raw`((?<![\w-])--(?!no-|max-|min-|num-|pad-|eos-|bos-|unk-|sep-|cls-|mask-)[\w-]{0,40}?(?:${PASSWORD_NAME}|(?<=-)pass|token|secret|api-?key)(?:=|[^\S\n]{1,4}))(?!-|id=)${NOT_A_METAVARIABLE}${SHELL_VALUE}`,
    "i",
  ),
  // `-p` is a password to these programs only; elsewhere it is a port, a path or a profile.
  rule("flag", ["mysql", "mariadb"], raw`(\b(?:mysql|mariadb)[a-z-]{0,12}\b${SAME_COMMAND}\s-p)(?=\S)${SHELL_VALUE}`),
  rule("flag", ["sshpass"], raw`(\bsshpass\s{1,4}-p\s{0,4})(?=\S)${SHELL_VALUE}`),
  rule(
    "flag",
    ["login"],
    raw`(\b(?:docker|podman|nerdctl|buildah|skopeo|helm|oras|az|oc)\s[a-z ]{0,20}login\b${SAME_COMMAND}\s-p[\s=]{1,4})(?!-)${SHELL_VALUE}`,
  ),
  rule("flag", ["redis-cli"], raw`(\bredis-cli\b${SAME_COMMAND}\s-a\s{1,4})(?!-)${SHELL_VALUE}`),
  rule(
    "flag",
    ["curl"],
    raw`(\bcurl\b${SAME_COMMAND}\s(?:-u|--user)[\s=]{0,4}["']?[^\s:"'=-][^\s:"']{0,127}:)(?!\/\/)${SHELL_VALUE}`,
  ),
  rule("flag", ["pass:"], raw`(\s-pass(?:in|out)?\s{1,4}pass:)${SHELL_VALUE}`),
  rule(
    "assignment",
    [...PASSWORD_HINTS, ...KEY_HINTS, "_pwd=", "_auth="],
    raw`((?:${PASSWORD_NAME}|${KEY_NAME}|\w_pwd|_auth)=)(?![=>])${NOT_AN_EXPRESSION}${NOT_A_PATH}${SHELL_VALUE}`,
    "i",
  ),
  rule("assignment", ["_pass="], raw`([A-Z0-9]_PASS=)${SHELL_VALUE}`),
  ...named(PASSWORD_NAME, PASSWORD_HINTS, { quoted: "{4,4096}", wholeLine: "{6,4096}" }),
  ...named(KEY_NAME, KEY_HINTS, { quoted: "{8,4096}", wholeLine: "{16,4096}" }),
];

/** How keys end whose values are secrets whatever they look like; compared in lower case without `_-. `. */
export const SECRET_KEY_ENDINGS = {
  /** Everything below the key. */
  deep: [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "secrets",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "signingkey",
    "encryptionkey",
    "authorization",
    "credential",
    "credentials",
  ],
  /** Only a value right under the key: `token` and `cookie` also name structures that are no secret. */
  shallow: ["token", "cookie"],
} as const;

/** The ways in which configuration and source code write a name with its value. */
function named(
  name: string,
  hints: readonly string[],
  { quoted, wholeLine }: { readonly quoted: string; readonly wholeLine: string },
): RedactionRule[] {
  const separator = raw`\s{0,4}(?:=>|[:=])\s{0,4}`;
  const sources = [
    raw`(${name}["']?${separator}")${NOT_A_REFERENCE}(?:[^"\\\n]|\\[^\n])${quoted}(?=")`,
    raw`(${name}["']?${separator}')${NOT_A_REFERENCE}[^'\n]${quoted}(?=')`,
    // JSON inside a string.
    raw`(${name}\\{1,3}"${separator}\\{1,3}")${NOT_A_REFERENCE}[^"\\\n]${quoted}(?=\\)`,
    // Fills the rest of its line and has a digit: configuration, not prose.
    raw`(${name}\s{0,4}[:=][^\S\n]{1,4})${NOT_A_REFERENCE}${NOT_AN_EXPRESSION}(?=[^\s0-9"']{0,64}[0-9])[^\s"']${wholeLine}(?=[^\S\n]{0,4}$)`,
  ];
  return sources.map((source) => rule("assignment", hints, source, "im"));
}

function rule(kind: string, hints: readonly string[], source: string, flags = ""): RedactionRule {
  return { kind, hints, pattern: new RegExp(source, `g${flags}`) };
}
