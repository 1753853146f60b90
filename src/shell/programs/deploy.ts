/** Programs that bring something into service: what people want to be asked about before it happens. */
import type { CommandEffect } from "../effect.ts";
import type { Invocation } from "../invocation.ts";
import { findVerb, type Tool, type VerbRow } from "../verbs.ts";

const deploy = (words: RegExp, more: Partial<VerbRow<"deploy">> = {}): VerbRow<"deploy"> => ({
  words,
  deed: "deploy",
  ...more,
});

const KUBERNETES: Tool<"deploy"> = {
  valued: ["n", "namespace", "context", "kubeconfig", "cluster", "f", "filename", "k", "kustomize", "l", "selector"],
  rows: [
    deploy(/^(apply|create|replace|patch|set|scale|autoscale|edit|run|expose)\b/),
    deploy(/^rollout (restart|undo)\b/),
  ],
};

const TERRAFORM: Tool<"deploy"> = {
  singleDash: true,
  valued: ["chdir", "target", "var", "var-file", "working-dir"],
  rows: [deploy(/^((run-all|run|stack run) )?(apply|apply-all)\b/)],
};

const VERB: Tool<"deploy"> = { rows: [deploy(/(^|.* )(deploy|deployments? create|release|promote|rollback)\b/)] };

const TOOLS: Readonly<Record<string, Tool<"deploy">>> = {
  kubectl: KUBERNETES,
  oc: KUBERNETES,
  k3s: { rows: [deploy(/^kubectl (apply|create|replace|patch|set|scale)\b/)] },
  helm: { rows: [deploy(/^(install|upgrade|rollback)\b/)] },
  helmfile: { rows: [deploy(/^(apply|sync)\b/)] },
  argocd: { rows: [deploy(/^app (sync|create|set|rollback)\b/)] },
  flux: { rows: [deploy(/^reconcile\b/)] },
  kustomize: VERB,
  terraform: TERRAFORM,
  tofu: TERRAFORM,
  terragrunt: TERRAFORM,
  pulumi: { rows: [deploy(/^(up|update)\b/)] },
  cdk: { rows: [deploy(/^deploy\b/)] },
  cdktf: { rows: [deploy(/^(deploy|apply)\b/)] },
  ansible: { rehearsals: ["check", "C"], rows: [deploy(/^/)] },
  "ansible-playbook": { rehearsals: ["check", "C", "syntax-check", "list-tasks"], rows: [deploy(/^/)] },
  vercel: { rows: [deploy(/^(deploy|promote|rollback|redeploy)\b/), deploy(/^$/), deploy(/^/, { given: ["prod"] })] },
  netlify: VERB,
  wrangler: { rows: [deploy(/^(deploy|publish|rollback|versions deploy|pages deploy)\b/)] },
  flyctl: { rows: [deploy(/^(deploy|launch|scale|secrets set)\b/)] },
  fly: { rows: [deploy(/^(deploy|launch|scale|secrets set)\b/)] },
  heroku: { rows: [deploy(/^(releases:rollback|pipelines:promote|container:release|ps:scale)\b/)] },
  firebase: VERB,
  serverless: VERB,
  sls: VERB,
  sam: VERB,
  eb: VERB,
  cap: VERB,
  railway: { rows: [deploy(/^(up|redeploy)\b/)] },
  nomad: { rows: [deploy(/^(job )?run\b/), deploy(/^job (dispatch|promote|revert|scale)\b/)] },
  gcloud: VERB,
  az: VERB,
  aws: {
    rows: [
      deploy(
        /(^| )(deploy|create-deployment|update-service|update-function-code|update-stack|create-stack|start-pipeline-execution)\b/,
      ),
      deploy(/(^| )execute-change-set\b/),
    ],
  },
  gh: { rows: [deploy(/^workflow run\b/)] },
  docker: { rows: [deploy(/^(stack deploy|service (create|update|rollback|scale))\b/)] },
};

/** `make deploy`, `npm run deploy:prod`, `./scripts/deploy.sh`: a name that says it is taken at its word. */
const RUNNERS =
  /^(make|gmake|just|task|rake|mage|npm|pnpm|yarn|bun|npx|bunx|deno|gradle|gradlew|mvn|composer|nx|turbo)$/;
const SAYS_SO = /(^|[^a-z])(re)?deploy([^a-z]|$)/i;

export function deployEffects({ program, args, path }: Invocation): CommandEffect[] {
  const name = program.toLowerCase();
  const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
  const found = tool && findVerb(program, args, tool);
  if (found) return [{ type: "deploy", detail: found.detail }];
  if (tool) return [];
  const named = [
    path?.text ?? program,
    ...(RUNNERS.test(program) || isShell(program) ? args.map(({ text }) => text) : []),
  ];
  const saying = named.find((word) => !word.startsWith("-") && SAYS_SO.test(word));
  return saying === undefined ? [] : [{ type: "deploy", detail: saying.slice(0, 60) }];
}

const isShell = (program: string) => /^(ba|da|z|k|a)?sh$/.test(program);
