/** What people who write software call by several names. Each row is one idea; a word stands in one row. */
import { stemOf } from "./stems.ts";

const ROWS = `
auth authentication authenticate login signin logon sso
authorization authorisation permission permissions acl rbac
password passphrase
credential credentials secret secrets
db database databases
kubernetes k8s
config configuration settings setting
env environment environments
repo repository
doc docs documentation
remove delete deletion drop erase erasure purge
deploy deployment release rollout ship
rollback revert
bug defect regression
error exception failure
test tests spec
ci pipeline
queue backlog
retry retries reattempt
timeout deadline
latency slow slowness
performance fast speed throughput
cache caching cached
log logs logging
metric metrics telemetry
alert alarm page pager
incident outage downtime postmortem
translation translations i18n internationalization internationalisation localization localisation l10n locale
accessibility a11y
observability o11y
frontend ui
backend server
component widget
function method
variable var
parameter param argument arg
directory folder
dependency dependencies package packages
vulnerability cve
crash panic segfault
concurrency concurrent parallel
duplicate duplicated duplicates twice dedupe deduplicate deduplication idempotent idempotency
migrate migration migrations
encrypt encryption cipher
certificate certificates cert tls ssl
money currency price
invoice bill billing
customer client
email mail
image picture photo
mobile phone smartphone
cart basket
upload uploads
schedule scheduled cron
webhook webhooks callback
websocket websockets ws
postgres postgresql
javascript js
typescript ts
python py
`;

const groups = new Map<string, readonly string[]>();
for (const row of ROWS.trim().split("\n")) {
  const stems = [...new Set(row.split(" ").map(stemOf))];
  for (const stem of stems) {
    const others = stems.filter((other) => other !== stem);
    groups.set(stem, [...(groups.get(stem) ?? []), ...others]);
  }
}

/** The stems of other words for the same thing. */
export const synonymsOf = (stem: string): readonly string[] => groups.get(stem) ?? [];
