/** Files that hold secrets, by their names. */
import type { Target } from "./effect.ts";

const NAMES: readonly (readonly [RegExp, string])[] = [
  [/(^|\/)\.env(\.(?!example|sample|template|dist|test|defaults|schema)[\w.-]+)?$/, "environment secrets"],
  [/(^|\/)\.envrc$/, "environment secrets"],
  [/(^|\/)\.ssh\/(?!known_hosts|config$|authorized_keys)[^/]*(?<!\.pub)$/, "an SSH key"],
  [/(^|\/)id_(rsa|dsa|ecdsa|ed25519)(_sk)?$/, "an SSH key"],
  [/\.(pem|key|p12|pfx|jks|keystore|ppk|kdbx)$/, "a private key"],
  [/(^|\/)\.aws\/(credentials|config)$/, "AWS credentials"],
  [/(^|\/)\.(netrc|pgpass|my\.cnf|git-credentials|htpasswd|vault-token)$/, "stored passwords"],
  [/(^|\/)\.(npmrc|pypirc|yarnrc)$/, "a registry token"],
  [/(^|\/)\.kube\/config$/, "cluster credentials"],
  [/(^|\/)\.docker\/config\.json$/, "registry credentials"],
  [
    /(^|\/)\.config\/(gh\/hosts\.yml|gcloud\/(credentials|application_default_credentials|access_tokens).*)$/,
    "cloud credentials",
  ],
  [/(^|\/)\.azure\/(accessTokens|msal_token_cache|azureProfile).*$/, "cloud credentials"],
  [/(^|\/)\.gnupg\/.+$/, "PGP keys"],
  [/^\/etc\/(shadow|gshadow|sudoers|master\.passwd)(\.bak|-)?$/, "the machine's password file"],
  [/(^|\/)(credentials|secrets?)\.(json|ya?ml|toml|ini|txt|env)$/, "credentials"],
  [/(^|\/)service[-_]account[\w-]*\.json$/, "cloud credentials"],
  [/^\/proc\/(self|\d+)\/environ$/, "the environment of a process"],
  [/(^|\/)Library\/Keychains\/.+$/, "a keychain"],
  [/(^|\/)\.(claude|codex)\/(\.credentials|auth)\.json$/, "an agent's credentials"],
];

const KEY_DIRECTORY = /(^|\/)\.(ssh|aws|gnupg|kube)$/;

/** What is nobody else's business, though it may be read here. */
export const privateOf = (target: Target): string | undefined =>
  secretOf(target) ??
  (KEY_DIRECTORY.test(target.path ?? "") ? "a directory of keys" : undefined) ??
  (/^\/etc\/passwd$|\/\.(ba|z)sh_history$/.test(target.path ?? "") ? "private files of this machine" : undefined);

/** What kind of secret a file holds, if its name says so. */
export function secretOf({
  path,
  written,
  contents,
}: Pick<Target, "path" | "written" | "contents">): string | undefined {
  const name = path ?? written;
  if (contents && KEY_DIRECTORY.test(name)) return "a directory of keys";
  return NAMES.find(([pattern]) => pattern.test(name))?.[1];
}
