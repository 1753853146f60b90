/**
 * What tools of clouds, infrastructure and hosted services would remove or open up. Tools with a grammar of their own
 * have rows; for the others the first word that is a verb says what is done (`gcloud compute instances delete vm`).
 */
import { type Arg, texts, UNKNOWN } from "../arg.ts";
import type { CommandEffect } from "../effect.ts";
import { type Options, readOptions } from "../options.ts";
import type { Program, Programs } from "../programs.ts";
import { type FoundVerb, findVerb, rehearses, type Tool, type VerbRow } from "../verbs.ts";

type Deed =
  | "destroy"
  | "apply-unseen"
  | "change-state"
  | "delete-data"
  | "delete"
  | "stop"
  | "roll-back"
  | "open-access"
  | "http-delete";

type Row = VerbRow<Deed>;
const row = (words: RegExp, deed: Deed, more: Partial<Row> = {}): Row => ({ words, deed, ...more });

/* ---- Infrastructure as code ---- */

const YES = { given: ["y", "yes", "f", "skip-preview", "auto-approve"] };

const TERRAFORM: Tool<Deed> = {
  singleDash: true,
  valued: ["chdir", "target", "var", "var-file", "terragrunt-working-dir", "working-dir", "queue-include-dir"],
  rehearsals: ["version"],
  rows: [
    row(/^((run-all|run|stack run|stack) )?(destroy|destroy-all)\b/, "destroy"),
    row(/^((run-all|run|stack run) )?apply\b/, "destroy", { given: ["destroy"] }),
    row(/^((run-all|run|stack run) )?(apply|refresh)\b/, "apply-unseen", {
      when: ({ given, values }) => given.has("auto-approve") && values.get("auto-approve")?.text !== "false",
    }),
    row(/^(run-all apply|apply-all)\b/, "apply-unseen"),
    row(/^run apply\b/, "apply-unseen", { given: ["all"] }),
    row(/^state (rm|push|mv|replace-provider)\b/, "change-state"),
    row(/^(workspace|env) delete\b/, "change-state"),
    row(/^(force-unlock|taint)\b/, "change-state"),
  ],
};

const CODE: Readonly<Record<string, Tool<Deed>>> = {
  pulumi: {
    valued: ["s", "stack", "C", "cwd", "t", "target", "m", "message", "p", "parallel"],
    rehearsals: ["preview-only"],
    rows: [
      row(/^(destroy|down|dn)\b/, "destroy"),
      row(/^stack (rm|remove)\b/, "destroy"),
      row(/^state (delete|rename|unprotect|edit|move)\b|^stack import\b|^cancel\b/, "change-state"),
      row(/^(up|update|refresh)\b/, "apply-unseen", YES),
      row(/^env (rm|remove)\b/, "delete"),
    ],
  },
  cdk: {
    valued: ["a", "app", "c", "context", "profile", "o", "output"],
    rows: [
      row(/^destroy\b/, "destroy"),
      row(/^deploy\b/, "apply-unseen", { when: (_, all) => /--require-approval[= ]"?never/.test(all) }),
      row(/^gc\b/, "delete"),
    ],
  },
  cdktf: {
    rows: [row(/^destroy\b/, "destroy"), row(/^(deploy|apply)\b/, "apply-unseen", { given: ["auto-approve"] })],
  },
  serverless: { rows: [row(/^remove\b/, "destroy"), row(/^rollback\b/, "roll-back")] },
  sst: { rows: [row(/^remove\b/, "destroy"), row(/^(state (remove|repair)|unlock|secret remove)\b/, "change-state")] },
  sam: { rows: [row(/^delete\b/, "destroy")] },
  copilot: { rows: [row(/^(app|env|svc|job|pipeline|task) delete\b/, "destroy")] },
  eb: { rows: [row(/^(terminate|delete)\b/, "destroy"), row(/^labs cleanup-versions\b/, "delete")] },
  amplify: { rows: [row(/^(delete|remove|env remove)\b/, "destroy")] },
  ampx: { rows: [row(/^(sandbox delete|sandbox secret remove)\b/, "destroy")] },
  chalice: { rows: [row(/^delete\b/, "destroy")] },
  zappa: { rows: [row(/^(undeploy|rollback)\b/, "destroy")] },
  nomad: {
    singleDash: true,
    rows: [
      row(
        /^(job stop|stop|job purge|namespace delete|volume (delete|deregister)|var purge|acl \S+ delete)\b/,
        "delete",
      ),
      row(/^(system gc|node drain|job revert|deployment fail)\b/, "stop"),
    ],
  },
};

/* ---- Clouds ---- */

const AWS_DELETES =
  /^\S+ ((batch|admin|bulk|force|global)-)*(delete|terminate|purge|deregister|destroy|remove|revoke)(-\S+|$)|^kms schedule-key-deletion\b|^sns unsubscribe\b|^ec2 (release-address|release-hosts)\b|^organizations (leave-organization|close-account)\b|^s3api abort-multipart-upload\b/;

/** What holds data, or what everything else hangs on. */
const AWS_DATA =
  /^(rds|dynamodb|dynamodbstreams|docdb|neptune|redshift|redshift-serverless|elasticache|memorydb|efs|fsx|backup|kms|cloudformation|eks|organizations|glacier|opensearch|es|timestream-write|qldb|keyspaces|dms|secretsmanager|s3control|account) |^(s3 rb|s3api delete-(bucket|objects)|ec2 (terminate-instances|delete-(volume|snapshot|vpc)|deregister-image)|lambda delete-function|logs delete-log-group|iam delete-(user|role|policy|group|account)|ecr delete-repository|ecs delete-cluster|route53 delete-hosted-zone|cognito-idp delete-user-pool|sqs (delete-queue|purge-queue)|kinesis delete-stream)\b/;

const ZEROED = /--(desired-capacity|desired-count|max-size|max-capacity)[= ]0\b|desiredSize=0|maxSize=0/;

const AWS: Tool<Deed> = {
  valued: ["profile", "region", "endpoint-url", "output", "query", "color", "ca-bundle", "cli-read-timeout"],
  rehearsals: ["generate-cli-skeleton"],
  rows: [
    row(/^s3 rb\b/, "delete-data"),
    row(/^s3 rm\b/, "delete-data", { given: ["recursive"] }),
    row(/^s3 rm\b/, "delete"),
    row(/^s3 sync\b/, "delete", { given: ["delete"] }),
    row(/^s3api put-bucket-acl\b|^s3api put-object-acl\b/, "open-access", {
      when: (_, all) => /public-read/.test(all),
    }),
    row(/^s3api (put-bucket-policy|put-bucket-lifecycle\S*)\b/, "open-access"),
    row(/^s3api put-public-access-block\b/, "open-access", { when: (_, all) => /false/i.test(all) }),
    row(/^s3api put-bucket-versioning\b/, "delete", { when: (_, all) => /Suspended/.test(all) }),
    row(/^ec2 authorize-security-group-ingress\b/, "open-access", {
      when: (_, all) => /0\.0\.0\.0\/0|::\/0/.test(all) && !/--port[= ](80|443)\b/.test(all),
    }),
    row(/^iam (attach|put)-\w+-policy\b/, "open-access", {
      when: (_, all) => /AdministratorAccess|IAMFullAccess|PowerUserAccess|"Action"\s*:\s*"\*"/.test(all),
    }),
    row(/^route53 change-resource-record-sets\b/, "delete", {
      when: (_, all) => !/"Action"\s*:\s*"CREATE"/i.test(all) || /DELETE|UPSERT/i.test(all),
    }),
    row(/^(autoscaling|ecs|eks|application-autoscaling) (update|set|register)-\S+/, "stop", {
      when: (_, all) => ZEROED.test(all),
    }),
    row(/^(rds|docdb|neptune|elbv2|dynamodb) modify-\S+/, "change-state", { given: ["no-deletion-protection"] }),
    row(/^cloudtrail stop-logging\b|^guardduty (delete|disable)-\S+|^configservice stop-\S+/, "stop"),
    row(AWS_DELETES, "delete-data", { when: ({ operands }) => AWS_DATA.test(texts(operands).join(" ")) }),
    row(AWS_DELETES, "delete"),
    row(/^\S+ (disable|detach|disassociate|stop|cancel|reset|suspend|failover|rollback)-\S+/, "stop", {
      when: ({ operands }) =>
        !/^(stop-query|cancel-query|stop-session|reset-image|stop-build)/.test(operands[1]?.text ?? ""),
    }),
  ],
};

/** A cloud that runs on this machine (LocalStack, DynamoDB Local, MinIO) is there to be thrown away. */
const aws: Program = ({ program, args }) => {
  const endpoint = readOptions(args, AWS).values.get("endpoint-url")?.text ?? "";
  return LOOPBACK.test(hostOf(endpoint)) ? [] : asEffects("AWS", findVerb(program, args, AWS));
};

const recursive = { given: ["r", "R", "recursive"] };

const STORAGE: Readonly<Record<string, Tool<Deed>>> = {
  gsutil: {
    valued: ["h", "o", "u", "i"],
    rows: [
      row(/^(rm|rb)\b/, "delete-data", recursive),
      row(/^rb\b/, "delete-data"),
      row(/^rm\b/, "delete"),
      row(/^rsync\b/, "delete", { when: ({ given }) => given.has("d") && !given.has("n") }),
      row(/^(iam|acl|defacl) (ch|set)\b/, "open-access", {
        when: (_, all) => /allUsers|AllUsers|public-read|allAuthenticatedUsers/.test(all),
      }),
      row(/^versioning set off\b|^lifecycle set\b|^retention clear\b/, "delete"),
    ],
  },
  bq: {
    valued: ["project_id", "location", "dataset_id"],
    rehearsals: ["dry_run", "n"],
    rows: [
      row(/^rm\b/, "delete-data"),
      row(/^query\b/, "delete-data", {
        when: (_, all) =>
          /\b(drop\s+(table|schema|view)|truncate\s+table)\b|\bdelete\s+from\b(?!.*\bwhere\b(?!\s+true))/is.test(all),
      }),
    ],
  },
  s3cmd: {
    valued: ["c", "config"],
    rehearsals: ["n"],
    rows: [
      row(/^rb\b/, "delete-data"),
      row(/^(del|rm)\b/, "delete-data", recursive),
      row(/^(del|rm|expire)\b/, "delete"),
      row(/^sync\b/, "delete", { given: ["delete-removed"] }),
    ],
  },
  s5cmd: {
    valued: ["endpoint-url", "profile"],
    rows: [row(/^(rm|rb)\b/, "delete-data"), row(/^sync\b/, "delete", { given: ["delete"] })],
  },
  mc: {
    rehearsals: ["fake"],
    rows: [
      row(/^rb\b/, "delete-data"),
      row(/^rm\b/, "delete-data", { given: ["r", "recursive", "force"] }),
      row(
        /^(rm|ilm (rule )?(remove|rm)|version suspend|admin (user|policy) (remove|rm)|admin service stop)\b/,
        "delete",
      ),
      row(/^mirror\b/, "delete", { given: ["remove"] }),
      row(/^(anonymous|policy) set (public|download|upload)\b/, "open-access"),
    ],
  },
  azcopy: {
    rows: [
      row(/^(remove|rm)\b/, "delete-data"),
      row(/^sync\b/, "delete", { when: (_, all) => /--delete-destination[= ]true/.test(all) }),
    ],
  },
  rclone: {
    valued: ["config", "filter", "exclude", "include"],
    rehearsals: ["n", "interactive", "i"],
    rows: [
      row(/^(purge|delete|rmdirs|dedupe|cleanup)\b/, "delete-data"),
      row(/^(deletefile|rmdir|sync|move|bisync)\b/, "delete"),
    ],
  },
  restic: {
    valued: ["r", "repo", "p", "password-file"],
    rehearsals: ["n"],
    rows: [row(/^(forget|prune)\b/, "delete-data"), row(/^(unlock|key remove|rewrite|repair)\b/, "change-state")],
  },
  borg: {
    rehearsals: ["n"],
    rows: [row(/^(delete|prune|compact|recreate)\b/, "delete-data"), row(/^(break-lock|key .*)\b/, "change-state")],
  },
};

/* ---- Code hosts ---- */

const deletesByApi = (_: Options, all: string) =>
  /(?:^| )(?:-X|--method|--request)[= ]?"?DELETE\b/i.test(all) ||
  /\bmutation\b.*\b(delete|remove|archive)[A-Z]\w*/s.test(all);

const HOSTS: Readonly<Record<string, Tool<Deed>>> = {
  gh: {
    valued: [
      ..."RtbFnXfHqB".split(""),
      "repo",
      "title",
      "body",
      "body-file",
      "notes",
      "method",
      "field",
      "raw-field",
      "header",
      "hostname",
      "jq",
    ],
    rows: [
      row(/^repo delete\b/, "delete-data"),
      row(/^repo (archive|rename)\b|^repo edit\b.*/, "change-state", {
        when: ({ operands }, all) =>
          operands[1]?.text !== "edit" || /--visibility|--default-branch|--delete-branch-on-merge=false/.test(all),
      }),
      row(/^repo sync\b/, "change-state", { given: ["force"] }),
      row(
        /^(release|secret|variable|ssh-key|gpg-key|label|issue|gist|run|cache|codespace|cs|project|attestation|environment) (delete|remove|item-delete|field-delete|delete-asset)\b/,
        "delete",
      ),
      row(/^repo (deploy-key|autolink) delete\b/, "delete"),
      row(/^project (item-delete|field-delete)\b/, "delete"),
      row(/^workflow disable\b/, "stop"),
      row(/^pr merge\b/, "change-state", { given: ["admin"] }),
      row(/^api\b/, "delete", { when: deletesByApi }),
    ],
  },
  glab: {
    valued: [
      ..."RtdmXfHF".split(""),
      "repo",
      "title",
      "description",
      "method",
      "field",
      "raw-field",
      "header",
      "message",
    ],
    rows: [
      row(/^(repo|project) delete\b/, "delete-data"),
      row(/^(repo|project) (archive|transfer)\b/, "change-state", {
        when: ({ operands }) => operands[1]?.text === "transfer",
      }),
      row(
        /^(release|variable|ssh-key|deploy-key|mr|issue|label|milestone|schedule|incident|snippet|token|runner|securefile) (delete|rm|remove|revoke)\b/,
        "delete",
      ),
      row(/^(ci|pipeline|job) (delete|artifact-delete)\b|^cluster agent delete\b/, "delete"),
      row(/^api\b/, "delete", { when: deletesByApi }),
    ],
  },
  vault: {
    singleDash: true,
    valued: ["address", "namespace", "mount"],
    rows: [
      row(
        /^(kv )?(destroy|metadata delete)\b|^secrets disable\b|^operator (seal|rekey|raft remove-peer|raft snapshot restore|generate-root|step-down|key-share)\b/,
        "delete-data",
      ),
      row(
        /^(kv )?delete\b|^(auth|audit) disable\b|^(policy|namespace|plugin|lease|token|ssh|pki) (delete|deregister|revoke)\b|^(lease|token) revoke\b/,
        "delete",
      ),
    ],
  },
  splunk: { rows: [row(/^(clean|remove|delete|stop|offline)\b/, "delete-data")] },
  kong: { rows: [row(/^migrations (reset|down)\b/, "delete-data"), row(/^(stop|quit)\b/, "stop")] },
  "gitlab-runner": {
    rows: [row(/^unregister\b/, "delete"), row(/^verify\b/, "delete", { given: ["delete"] })],
  },
  rabbitmqctl: {
    valued: ["n", "node", "p", "vhost"],
    rows: [
      row(
        /^(reset|force_reset|delete_\w+|purge_queue|clear_\w+|forget_cluster_node|stop_app|shutdown|stop|close_all_connections)\b/,
        "delete-data",
      ),
    ],
  },
  rabbitmqadmin: { rows: [row(/^(delete|purge)\b/, "delete-data")] },
  "jenkins-cli": {
    rows: [
      row(/^(delete-\w+|clear-queue|safe-shutdown|shutdown|quiet-down|disable-job|restart|safe-restart)\b/, "delete"),
    ],
  },
  supabase: {
    valued: ["project-ref", "workdir", "db-url"],
    rows: [
      row(/^db reset\b/, "delete-data"),
      row(/^stop\b/, "delete-data", { given: ["no-backup"] }),
      row(
        /^(projects|branches|functions|domains|vanity-subdomains|storage|sso|postgres-config|orgs|snippets) (delete|rm|remove)\b/,
        "delete",
      ),
      row(/^secrets unset\b|^(migration (repair|down|squash)|db push --include-all)\b/, "delete"),
    ],
  },
  vercel: {
    valued: ["t", "token", "S", "scope", "cwd", "A", "local-config"],
    rows: [
      row(/^(rm|remove)\b/, "delete"),
      row(
        /^(projects?|env|domains?|dns|aliases|alias|secrets?|certs?|teams?|integration|blob( store)?|edge-config|cache|git) (rm|remove|del|delete|disconnect|purge)\b/,
        "delete",
      ),
      row(/^(rollback)\b/, "roll-back"),
    ],
  },
  heroku: {
    valued: ["a", "app", "r", "remote", "t", "team"],
    rows: [
      row(
        /^((apps|addons|pipelines|spaces|webhooks|keys|domains|certs|drains|clients|ci)[: ])?destroy\b|^pg[: ](reset|push|backups[: ](delete|restore)|credentials[: ]destroy|promote|unfollow)\b/,
        "delete-data",
      ),
      row(
        /^(apps|addons|domains|certs|keys|drains|webhooks|access|members|pipelines|buildpacks|features|clients|authorizations)[: ](remove|delete|revoke|clear|detach)\b|^config[: ]unset\b|^repo[: ](reset|purge_cache)\b/,
        "delete",
      ),
      row(/^(releases[: ])?rollback\b/, "roll-back"),
      row(/^(ps[: ])?(scale|dyno:scale)\b.*=0\b|^ps[: ](stop|kill)\b|^maintenance[: ]on\b/, "stop"),
    ],
  },
  fly: {
    valued: ["a", "app", "c", "config", "o", "org"],
    rows: [
      row(
        /^(apps? )?destroy\b|^(volumes?|vol|postgres|pg|mpg|redis|storage|mysql|litefs-cloud) (\w+ )?(destroy|delete|remove)\b/,
        "delete-data",
      ),
      row(
        /^(machines?|m|certs|ips|orgs?|tokens?|wireguard|extensions?|ssh) (\w+ )?(destroy|delete|remove|rm|release|revoke)\b|^secrets (unset|rm|remove)\b/,
        "delete",
      ),
      row(/^scale (count )?.*(=| )0\b|^apps? suspend\b/, "stop"),
    ],
  },
  firebase: {
    valued: ["P", "project", "token"],
    rows: [
      row(
        /^(firestore:(delete|databases:delete)|database:(remove|set)|firestore:bulkdelete|auth:delete)\b/,
        "delete-data",
      ),
      row(
        /^(functions:delete|functions:secrets:destroy|hosting:(disable|sites:delete|channel:delete)|ext:uninstall|appdistribution:\w+:(delete|remove)|apps:android:sha:delete|experimental:functions:\w+:delete|remoteconfig:rollback|apphosting:\w+:delete)\b/,
        "delete",
      ),
    ],
  },
  netlify: {
    valued: ["auth", "filter", "site", "s"],
    rows: [
      row(/^(sites?|api)[: ]delete\w*\b|^blobs?[: ]delete\b|^env[: ]unset\b|^(unlink)$/, "delete", {
        when: ({ operands }) => operands[0]?.text !== "unlink",
      }),
    ],
  },
};

/* ---- Everything else: the first word that is a verb ---- */

const DELETES =
  /^(delete|del|rm|remove|destroy|purge|terminate|wipe|erase|drop|unset|revoke|undeploy|decommission|nuke)$|^(delete|destroy|remove|purge|terminate|revoke)[-_:]|[-_:](delete|destroy|remove|purge|terminate|rm)$/i;
const DELETES_PASCAL = /^(Delete|Remove|Terminate|Destroy|Purge|Release)[A-Z]/;
const STOPS =
  /^(stop|disable|deallocate|suspend|shutdown|power-off|poweroff|reset|abandon-instances|seal|failover|restore-backup|regenerate)$/;
const ROLLS_BACK = /^(rollback|roll-back)$/;
/** Verbs that end the search; words that are as often nouns (`gcloud run services delete`) are not among them. */
const ELSE =
  /^(list|ls|describe|show|get|view|read|tail|cat|create|add|set|new|update|edit|put|patch|send|search|find|query|export|import|download|upload|validate|(print|get|list|describe|show|create|update|set|add)-\S+)$/;
/** What a tool that begins with a verb may begin with. */
const ELSE_FIRST =
  /^(run|exec|ssh|dev|deploy|build|test|init|login|logout|link|open|logs?|status|info|whoami|pull|push|up|publish|shell|start|listen|trigger|inject|connect|proxy|install|upgrade|check|diff|plan|apply|sync|validate|dump|ping|pub|sub|request|reply)$/;

interface Service {
  readonly provider: string;
  /** Its first word is a noun, even where it looks like a verb. */
  readonly nounFirst?: boolean;
  /** What else deletes. */
  readonly also?: RegExp;
  readonly valued?: readonly string[];
  readonly rehearsals?: readonly string[];
}

const DATA =
  /\b(projects?|groups?|sql|db|dbs|databases?|buckets?|disks?|volumes?|snapshots?|backups?|clusters?|storage|spanner|bigtable|firestore|filestore|redis|cosmosdb|postgres|mysql|keyvault|vaults?|kms|keys?|secrets?|tables?|topics?|streams?|kv|d1|r2|dns|zones?|apps?|sites?|organizations?|tenants?|accounts?|index|indexes|indices)\b/;

const SERVICES: Readonly<Record<string, Service>> = {
  gcloud: {
    provider: "Google Cloud",
    nounFirst: true,
    valued: [
      "project",
      "account",
      "configuration",
      "format",
      "filter",
      "zone",
      "region",
      "quiet-mode",
      "impersonate-service-account",
    ],
  },
  az: {
    provider: "Azure",
    nounFirst: true,
    valued: ["subscription", "o", "output", "query", "g", "resource-group", "n", "name"],
  },
  azd: { provider: "Azure", also: /^down\b/ },
  doctl: { provider: "DigitalOcean", valued: ["t", "access-token", "context", "o", "output"] },
  wrangler: { provider: "Cloudflare", valued: ["c", "config", "e", "env"], rehearsals: [] },
  flarectl: { provider: "Cloudflare" },
  cloudflared: { provider: "Cloudflare" },
  fastly: { provider: "Fastly" },
  "linode-cli": { provider: "Linode" },
  hcloud: { provider: "Hetzner" },
  "vultr-cli": { provider: "Vultr" },
  scw: { provider: "Scaleway" },
  oci: { provider: "Oracle Cloud", nounFirst: true },
  ibmcloud: { provider: "IBM Cloud", nounFirst: true },
  openstack: { provider: "OpenStack" },
  aliyun: { provider: "Alibaba Cloud" },
  tccli: { provider: "Tencent Cloud" },
  upctl: { provider: "UpCloud" },
  civo: { provider: "Civo" },
  exo: { provider: "Exoscale" },
  cf: { provider: "Cloud Foundry" },
  railway: { provider: "Railway", also: /^down\b/ },
  render: { provider: "Render" },
  turso: { provider: "Turso" },
  pscale: { provider: "PlanetScale" },
  neonctl: { provider: "Neon" },
  neon: { provider: "Neon" },
  atlas: { provider: "MongoDB Atlas" },
  mongocli: { provider: "MongoDB Atlas" },
  convex: { provider: "Convex" },
  doppler: { provider: "Doppler", valued: ["p", "project", "c", "config", "t", "token"] },
  op: { provider: "1Password", valued: ["vault", "account", "format"] },
  infisical: { provider: "Infisical" },
  consul: { provider: "Consul", also: /^(force-)?leave\b|^snapshot restore\b/ },
  rpk: { provider: "Kafka" },
  kcat: { provider: "Kafka" },
  nats: { provider: "NATS", valued: ["s", "server", "context"] },
  stripe: {
    provider: "Stripe",
    valued: ["d", "data", "api-key", "project-name"],
    also: /^(subscriptions|payment_intents|subscription_schedules) cancel\b/,
  },
  ldcli: { provider: "LaunchDarkly" },
  "sentry-cli": { provider: "Sentry", valued: ["o", "org", "p", "project"] },
  circleci: { provider: "CircleCI", also: /^context (delete|remove-secret)\b/ },
  buildkite: { provider: "Buildkite" },
  algolia: { provider: "Algolia" },
  influx: { provider: "InfluxDB" },
  temporal: { provider: "Temporal" },
  newrelic: { provider: "New Relic" },
  apigeecli: { provider: "Apigee" },
  deck: { provider: "Kong", also: /^(gateway )?reset\b/ },
  newman: { provider: "Postman" },
  confluent: { provider: "Confluent" },
  databricks: { provider: "Databricks", valued: ["profile", "p"] },
  snow: { provider: "Snowflake" },
  hf: { provider: "Hugging Face" },
  "huggingface-cli": { provider: "Hugging Face" },
  modal: { provider: "Modal" },
  eas: { provider: "Expo" },
  shopify: { provider: "Shopify" },
  twilio: { provider: "Twilio" },
  auth0: { provider: "Auth0" },
  okta: { provider: "Okta" },
  unleash: { provider: "Unleash" },
  flipt: { provider: "Flipt" },
  pd: { provider: "PagerDuty" },
  datadog: { provider: "Datadog" },
  dog: { provider: "Datadog" },
};

/** Nouns that live on this machine only. */
const LOCAL =
  /^(config|auth|configure|completion|context|contexts|extension|extensions|plugin|plugins|components|cloud|account|cache|login|logout|version|telemetry|mcp)$/;

function firstVerb(
  program: string,
  operands: readonly Arg[],
  { nounFirst = false, also }: Service,
): FoundVerb<Deed> | undefined {
  const words = texts(operands);
  const [first = ""] = words;
  if (also?.test(words.join(" "))) return { deed: "delete", detail: `${program} ${first}` };
  if (LOCAL.test(first) || (!nounFirst && ELSE_FIRST.test(first))) return undefined;
  for (const [at, word] of words.entries()) {
    const before = words.slice(0, at).join(" ");
    const detail = `${program} ${words.slice(0, at + 1).join(" ")}`.replaceAll(UNKNOWN, "$…");
    if (DELETES.test(word) || DELETES_PASCAL.test(word))
      return { deed: DATA.test(`${before} ${word}`.toLowerCase()) ? "delete-data" : "delete", detail };
    if (STOPS.test(word) && at > 0) return { deed: "stop", detail };
    if (ROLLS_BACK.test(word)) return { deed: "roll-back", detail };
    if (at > 0 || !nounFirst ? ELSE.test(word) : false) return undefined;
  }
  return undefined;
}

const SERVICE_REHEARSALS = ["dry-run", "dryrun", "help", "h", "validate-only", "what-if"];

/** What single options of the big clouds open up or switch off, whatever the verb. */
const OPENS =
  /add-iam-policy-binding\b.*(allUsers|allAuthenticatedUsers|roles\/(owner|editor))|\bset-iam-policy\b|role assignment create\b.*--role[= ]"?(Owner|Contributor|User Access Administrator)|--public-access[= ](blob|container)\b/;
const EMPTIES =
  /--num-nodes[= ]0\b|--max-nodes[= ]0\b|--node-count[= ]0\b|--mode[= ]"?Complete\b|--delete-unmatched-destination-objects\b/;
const DROPS = /\b(drop\s+(table|schema|database|view)|truncate\s+table)\b|\bdelete\s+from\s+\w+\s*(;|"|'|$)/i;

const service =
  (shape: Service): Program =>
  ({ program, args }) => {
    const { provider, valued = [], rehearsals = [] } = shape;
    const options = readOptions(args, { valued });
    if (rehearses(options, [...SERVICE_REHEARSALS, ...rehearsals])) return [];
    const all = texts(args).join(" ");
    const found =
      firstVerb(program, options.operands, shape) ??
      (OPENS.test(all) ? ({ deed: "open-access", detail: program } as const) : undefined) ??
      (EMPTIES.test(all) ? ({ deed: "delete", detail: program } as const) : undefined) ??
      (provider === "Cloudflare" && DROPS.test(all)
        ? ({ deed: "delete-data", detail: `${program} d1` } as const)
        : undefined);
    return asEffects(provider, found);
  };

const asEffects = (provider: string, found: FoundVerb<Deed> | undefined): CommandEffect[] =>
  found ? [{ type: "cloud", provider, ...found }] : [];

const tool =
  (provider: string, shape: Tool<Deed>): Program =>
  ({ program, args }) =>
    asEffects(provider, findVerb(program, args, shape));

/* ---- Tools that take deletion as an option, and plain HTTP ---- */

const kafka: Program = ({ program, args }) => {
  const { given } = readOptions(args, { singleDash: true });
  const resets = given.has("reset-offsets") && given.has("execute");
  return given.has("delete") || given.has("remove") || resets || /delete-records/.test(program)
    ? [{ type: "cloud", provider: "Kafka", deed: "delete-data", detail: program }]
    : [];
};

const LOOPBACK =
  /^(localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[?::1\]?|host\.docker\.internal|[\w-]+\.(local|test|localhost))$/i;

const authority = (url: string) =>
  url
    .replace(/^[a-z]+:\/\//i, "")
    .replace(/^[^/@]*@/, "")
    .replace(/[/?#].*$/s, "");

const hostOf = (url: string) => authority(url).replace(/:\d+$/, "");

/** Ports behind which data lives, also on this machine: search engines, gateways, brokers, stores. */
const STORES = /:(9200|9201|7700|8001|8444|15672|9090|9091|8200|8500|2379|8983|6333|5984|8529|8086)$/;

/** Services that others depend on; a DELETE to the API that is being built is a day's work. */
const SERVED =
  /(^|\.)(cloudflare|fastly|datadoghq|newrelic|pagerduty|splunk\w*|signalfx|stripe|squareup\w*|braintree\w*|sendgrid|mailgun|postmarkapp|launchdarkly|getunleash|github|gitlab|bitbucket|circleci|algolia|algolianet|elastic-cloud|amazonaws|googleapis|azure|windows|digitalocean|heroku|vercel|netlify|linode|hetzner|vultr|supabase|auth0|okta|twilio|slack|doppler|atlassian|sentry|npmjs|docker|mongodb|grafana|konghq|1password|godaddy|namecheap|meilisearch|fly|split|hcp)\.(com|net|io|co|dev|org|cloud|eu|app|us|machines\.dev|hashicorp\.cloud)(\.\w+)?$/i;
const SERVED_BY_NAME =
  /elastic|opensearch|\bES_|meili|algolia|solr|kong|jenkins|unleash|flipt|grafana|splunk|vault|consul|etcd|rabbit|kafka|prometheus|pushgateway/i;

/** `curl -X DELETE https://api.cloudflare.com/…`: what is gone there is gone. */
const http: Program = ({ program, args, source }) => {
  const words = texts(args);
  const url =
    words.find((word) => /^[a-z]+:\/\//i.test(word)) ??
    words.find((word) => /^(localhost(:\d+)?|[\w.-]+\.[a-z]{2,}(:\d+)?)(\/|$)/i.test(word)) ??
    words.find((word) => word.startsWith(`${UNKNOWN}/`) || word === UNKNOWN);
  if (url === undefined || (!usesDelete(program, words) && !DELETING_PATH.test(url))) return [];
  const host = hostOf(url);
  const matters =
    SERVED.test(host) ||
    STORES.test(authority(url)) ||
    DELETING_PATH.test(url) ||
    (!LOOPBACK.test(host) && SERVED_BY_NAME.test(host.includes(UNKNOWN) ? source : host));
  if (!matters) return [];
  return [
    { type: "cloud", provider: host.replaceAll(UNKNOWN, "$…"), deed: "http-delete", detail: `${program} DELETE` },
  ];
};

/** Requests that delete by their very address. */
const DELETING_PATH = /\/(_delete_by_query|admin\/tsdb\/delete_series|doDelete)\b/;

const usesDelete = (program: string, words: readonly string[]) =>
  words.some((word, at) =>
    /^(-\w*X|--request|--method)$/.test(words[at - 1] ?? "")
      ? /^delete$/i.test(word)
      : /^(-\w*X|--request=|--method=)delete$/i.test(word),
  ) ||
  (/^(http|https|xh|xhs)$/.test(program) && words.includes("DELETE"));

/** `ansible all -m file -a 'path=/x state=absent'`: on every machine it knows. */
const ansible: Program = ({ args }) => {
  const options = readOptions(args, {
    valued: ["m", "module-name", "a", "args", "i", "inventory", "l", "limit", "u", "f", "e", "extra-vars"],
  });
  if (rehearses(options, ["check", "C", "list-hosts", "help", "h"])) return [];
  const module = (options.values.get("m") ?? options.values.get("module-name"))?.text ?? "command";
  const given = (options.values.get("a") ?? options.values.get("args"))?.text ?? "";
  if (/\bstate=["']?absent\b/.test(given))
    return asEffects("its machines", { deed: "delete", detail: `ansible ${module}` });
  return /\bstate=["']?stopped\b/.test(given) || /(^|\.)(reboot|shutdown)$/.test(module)
    ? asEffects("its machines", { deed: "stop", detail: `ansible ${module}` })
    : [];
};

/** The load balancer in front of everything. */
const nginx: Program = ({ args }) =>
  /^(stop|quit)$/.test(readOptions(args, { valued: ["s", "c", "p", "g"] }).values.get("s")?.text ?? "")
    ? asEffects("this machine", { deed: "stop", detail: "nginx" })
    : [];

const nsupdate: Program = (_, { input }) =>
  input !== undefined && /^\s*(update\s+)?delete\b/m.test(input)
    ? asEffects("the name server", { deed: "delete", detail: "nsupdate delete" })
    : [];

/** `java -jar jenkins-cli.jar delete-job x`. */
const java: Program = ({ program, args }) => {
  const at = args.findIndex(({ text }) => /(^|\/)jenkins-cli\.jar$/.test(text));
  const jenkins = HOSTS["jenkins-cli"];
  const { operands } = readOptions(args.slice(at + 1), { valued: ["s", "auth"], singleDash: true });
  return at < 0 || !jenkins ? [] : asEffects("Jenkins", findVerb(program, operands, jenkins));
};

const PROVIDERS: Readonly<Record<string, string>> = {
  aws: "AWS",
  gsutil: "Google Cloud",
  bq: "BigQuery",
  gh: "GitHub",
  glab: "GitLab",
  vault: "Vault",
  vercel: "Vercel",
  heroku: "Heroku",
  fly: "Fly",
  firebase: "Firebase",
  netlify: "Netlify",
  supabase: "Supabase",
};

const ROWS: Readonly<Record<string, Tool<Deed>>> = { ...CODE, ...STORAGE, ...HOSTS };

const aliases = (names: Readonly<Record<string, string>>): Programs =>
  Object.fromEntries(
    Object.entries(names).map(([name, like]) => [name, tool(PROVIDERS[like] ?? like, ROWS[like] ?? { rows: [] })]),
  );

const tools = (rows: Readonly<Record<string, Tool<Deed>>>): Programs =>
  Object.fromEntries(Object.entries(rows).map(([name, shape]) => [name, tool(PROVIDERS[name] ?? name, shape)]));

export const CLOUD: Programs = {
  ...tools(ROWS),
  ...Object.fromEntries(Object.entries(SERVICES).map(([name, shape]) => [name, service(shape)])),
  terraform: tool("terraform", TERRAFORM),
  tofu: tool("tofu", TERRAFORM),
  terragrunt: tool("terragrunt", TERRAFORM),
  ...aliases({
    sls: "serverless",
    flyctl: "fly",
    vc: "vercel",
    ntl: "netlify",
    "firebase-tools": "firebase",
    mcli: "mc",
  }),
  aws,
  ...Object.fromEntries(
    ["topics", "consumer-groups", "acls", "delete-records", "configs"].flatMap((name) => [
      [`kafka-${name}`, kafka],
      [`kafka-${name}.sh`, kafka],
    ]),
  ),
  curl: http,
  wget: http,
  http,
  https: http,
  xh: http,
  ansible,
  nginx,
  nsupdate,
  java,
};
