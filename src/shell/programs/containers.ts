/** What docker and its kin, kubectl, helm and the makers of clusters would remove or open up. */
import { type Arg, texts } from "../arg.ts";
import type { CommandEffect } from "../effect.ts";
import type { Invocation } from "../invocation.ts";
import { type Options, readOptions } from "../options.ts";
import type { Program, Programs } from "../programs.ts";
import { findVerb, rehearses, type Tool, type VerbRow } from "../verbs.ts";

type Deed =
  | "prune"
  | "prune-volumes"
  | "remove"
  | "remove-volume"
  | "stop-all"
  | "host-access"
  | "delete-cluster"
  | "delete-namespace"
  | "delete-resource"
  | "evict"
  | "scale-to-zero"
  | "roll-back"
  | "uninstall-release"
  | "replace";

type Row = VerbRow<Deed>;
const row = (words: RegExp, deed: Deed, more: Partial<Row> = {}): Row => ({ words, deed, ...more });
const FORCE = { given: ["f", "force"] };

/** Named one by one, or whatever a listing prints. */
const LISTED = /\$\(|`|\b(docker|podman|nerdctl)\s+(ps|images|volume\s+ls|container\s+ls|image\s+ls)\b/;

const DOCKER_VALUES = ["H", "host", "context", "config", "log-level", "filter", "t", "time", "s", "signal"];

const COMPOSE: readonly Row[] = [
  row(/^down\b/, "remove-volume", { given: ["v", "volumes"] }),
  row(/^down\b/, "remove", { given: ["rmi"] }),
  row(/^rm\b/, "remove-volume", { given: ["v", "volumes"] }),
  row(/^rm\b/, "remove", { given: ["f", "force", "s", "stop"] }),
];

const DOCKER: readonly Row[] = [
  row(/^system prune\b/, "prune-volumes", { given: ["volumes"] }),
  row(/^volume prune\b/, "prune-volumes"),
  row(/^(system|image|container|network|builder|buildx|pod|machine) prune\b|^buildx prune\b|^prune\b/, "prune"),
  row(/^(system|machine) reset\b/, "prune-volumes"),
  row(/^volume (rm|remove)\b/, "remove-volume"),
  row(/^((container|image|pod|machine) )?(rm|remove)\b|^rmi\b/, "remove", FORCE),
  row(/^((container|image|pod) )?(rm|remove)\b|^rmi\b/, "remove", { given: ["a", "all"] }),
  row(/^(stack|service|node|secret|config) (rm|remove)\b/, "remove"),
  row(/^service scale .*=0\b/, "scale-to-zero"),
  row(/^swarm leave\b/, "delete-cluster", FORCE),
  row(/^kube (down|play --down)\b/, "remove"),
  row(/^(stop|kill)\b/, "stop-all", { given: ["a", "all"] }),
];

const docker: Program = (invocation) => {
  const { program, args } = invocation;
  const top = readOptions(args, {
    valued: ["H", "host", "c", "context", "config", "l", "log-level"],
    stopAtOperand: true,
  });
  const [verb, ...rest] = top.operands;
  const isCompose = program.endsWith("-compose") || verb?.text === "compose";
  if (isCompose) {
    const words = verb?.text === "compose" ? rest : args;
    const valued = ["f", "file", "p", "project-name", "profile", "env-file", "project-directory", "ansi", "parallel"];
    const inner = readOptions(words, { valued, stopAtOperand: true }).operands;
    return asEffects(findVerb(`${program} compose`, inner, { valued: ["t", "timeout", "rmi"], rows: COMPOSE }));
  }
  if (!verb) return [];
  const sub = verb.text === "container" ? rest[0]?.text : verb.text;
  if (sub === "run" || sub === "create") return hostAccess(program, verb.text === "container" ? rest.slice(1) : rest);
  const found = findVerb(program, top.operands, { valued: DOCKER_VALUES, rows: DOCKER });
  if (found) return asEffects(found);
  return sweeps(invocation, texts(top.operands).join(" "))
    ? [{ type: "container", deed: "stop-all", detail: program }]
    : [];
};

/** `docker stop $(docker ps -q)`, `docker ps -q | xargs docker rm`: all that there are. */
const sweeps = ({ source, via, args }: Invocation, words: string) =>
  /^((container|image|volume) )?(stop|kill|rm|rmi|remove)\b/.test(words) &&
  args.some(({ text }) => text.includes("\u{FFFC}")) &&
  (LISTED.test(source) || via.includes("xargs"));

/** Containers that could do anything to this machine. */
function hostAccess(program: string, args: readonly Arg[]): CommandEffect[] {
  const { given, values } = readOptions(beforeImage(args), { valued: RUN_VALUES });
  const mounts = texts(beforeImage(args)).join(" ");
  const seesHost =
    HOST_MOUNT.test(mounts) || /^host$/.test(values.get("pid")?.text ?? "") || values.get("userns")?.text === "host";
  const privileged =
    (given.has("privileged") && values.get("privileged")?.text !== "false") ||
    /^(ALL|SYS_ADMIN|CAP_SYS_ADMIN)$/i.test(values.get("cap-add")?.text ?? "");
  return seesHost || privileged
    ? [
        {
          type: "container",
          deed: "host-access",
          detail: privileged ? `${program} run --privileged` : `${program} run`,
        },
      ]
    : [];
}

const HOST_MOUNT =
  /(?:^| )(?:-\w*v|--volume)[ =]?\/(?:etc|root|boot|dev|proc|sys|usr|var|home|Users)?\/?:|(?:src|source)=\/(?:etc|root|boot|dev|proc|sys|usr|var|home|Users)?\/?(?:,|$| )/;

const RUN_VALUES = [
  ..."euwvpmhlca".split(""),
  ...["env", "user", "workdir", "volume", "publish", "name", "network", "net", "entrypoint", "env-file", "mount"],
  ...["platform", "memory", "cpus", "hostname", "label", "restart", "gpus", "device", "cap-add", "cap-drop", "pid"],
  ...[
    "userns",
    "ipc",
    "security-opt",
    "add-host",
    "dns",
    "tmpfs",
    "ulimit",
    "shm-size",
    "log-driver",
    "log-opt",
    "pull",
  ],
];

/** Options end where the image is named; what follows belongs to the container. */
function beforeImage(args: readonly Arg[]): readonly Arg[] {
  const { operands } = readOptions(args, { valued: RUN_VALUES, stopAtOperand: true });
  return args.slice(0, args.length - operands.length);
}

const KUBE_VALUES = [
  ..."nsflockvp".split(""),
  ...["namespace", "context", "cluster", "user", "kubeconfig", "server", "token", "as", "as-group", "request-timeout"],
  ...["selector", "filename", "kustomize", "output", "field-selector", "grace-period", "timeout", "patch", "type"],
  ...["container", "to-revision", "current-replicas", "replicas", "pod-selector"],
];

const isZero = ({ values }: Options) => values.get("replicas")?.text === "0";

const KUBE: Tool<Deed> = {
  valued: KUBE_VALUES,
  rows: [
    row(/^delete (\S+,)?(ns|namespaces?|projects?)(\/|\b)/, "delete-namespace"),
    row(
      /^delete (\S+,)?(all|pv|pvc|persistentvolume\w*|crds?|customresourcedefinitions?\S*|nodes?|storageclass\w*)(,|\/| |$)/,
      "delete-namespace",
    ),
    row(/^delete\b/, "delete-namespace", { given: ["all", "A", "all-namespaces"] }),
    row(/^delete\b.*/, "delete-resource"),
    row(/^(adm )?(drain|cordon)\b/, "evict"),
    row(/^(adm )?taint\b.*:NoExecute\b/, "evict"),
    row(/^adm prune\b/, "prune", { given: ["confirm"] }),
    row(/^scale\b/, "scale-to-zero", { when: isZero }),
    row(/^rollout undo\b/, "roll-back"),
    row(/^replace\b/, "replace", { given: ["force"] }),
    row(/^apply\b/, "replace", { given: ["prune"] }),
    row(/^patch\b/, "delete-resource", {
      when: (_, all) => /"?finalizers"?\s*:\s*(null|\[\s*\])|\/finalizers/.test(all),
    }),
  ],
};

const kubectl: Program = ({ program, args }) => {
  const dashes = args.findIndex(({ text }) => text === "--");
  return asEffects(findVerb(program, dashes < 0 ? args : args.slice(0, dashes), KUBE));
};

/** `k3s kubectl delete …`, `minikube kubectl -- delete …`. */
const innerKubectl: Program = (invocation, context) => {
  const at = invocation.args.findIndex(({ text }) => text === "kubectl");
  const inner = invocation.args.slice(at + 1);
  return at < 0 ? [] : kubectl({ ...invocation, args: inner[0]?.text === "--" ? inner.slice(1) : inner }, context);
};

const HELM_VALUES = ["n", "namespace", "kube-context", "kubeconfig", "f", "values", "set", "version", "timeout"];

/** The rest, by name. */
const TOOLS: Readonly<Record<string, Tool<Deed>>> = {
  helm: {
    valued: HELM_VALUES,
    rows: [
      row(/^(uninstall|delete|del|un)\b/, "uninstall-release"),
      row(/^rollback\b/, "roll-back"),
      row(/^upgrade\b/, "replace", { given: ["force", "force-replace", "reset-values"] }),
    ],
  },
  helmfile: {
    valued: ["e", "environment", "f", "file", "l", "selector"],
    rows: [row(/^(destroy|delete)\b/, "uninstall-release")],
  },
  skaffold: { rows: [row(/^delete\b/, "uninstall-release")] },
  devspace: { rows: [row(/^purge\b/, "uninstall-release")] },
  kind: { rows: [row(/^delete (clusters?|nodes?)\b/, "delete-cluster")] },
  minikube: { valued: ["p", "profile"], rows: [row(/^delete\b/, "delete-cluster")] },
  k3d: { rows: [row(/^(cluster|node|registry) (delete|rm)\b/, "delete-cluster")] },
  kubeadm: { rows: [row(/^reset\b/, "delete-cluster")] },
  microk8s: { rows: [row(/^reset\b/, "delete-cluster")] },
  kops: { rows: [row(/^delete\b/, "delete-cluster")] },
  eksctl: { rows: [row(/^(delete|drain)\b/, "delete-cluster")] },
  talosctl: { rows: [row(/^(reset|cluster destroy)\b/, "delete-cluster")] },
  k0s: { rows: [row(/^reset\b/, "delete-cluster")] },
  clusterctl: { rows: [row(/^delete\b/, "delete-cluster")] },
  colima: { rows: [row(/^delete\b/, "delete-cluster")] },
  limactl: { rows: [row(/^(delete|factory-reset|prune)\b/, "remove")] },
  multipass: { rows: [row(/^(delete|purge)\b/, "remove")] },
  lxc: { rows: [row(/^(delete|(storage( volume)?|network|image|profile|project) delete)\b/, "remove")] },
  "lxc-destroy": { rows: [row(/^/, "remove")] },
  vagrant: { rows: [row(/^(destroy|box remove|global-status --prune)\b/, "remove")] },
  buildah: { rows: [row(/^(rm|rmi|prune)\b/, "prune", { given: ["a", "all", "f", "force", "p", "prune"] })] },
  crictl: { rows: [row(/^(rm|rmi|rmp)\b/, "remove", { given: ["a", "all", "f", "force", "prune"] })] },
  ctr: {
    valued: ["n", "namespace", "a", "address"],
    rows: [row(/^(containers?|c|images?|i|tasks?|t) (delete|del|rm|remove)\b/, "remove")],
  },
  istioctl: { rows: [row(/^(uninstall|x uninstall)\b/, "uninstall-release")] },
  linkerd: { rows: [row(/^uninstall\b/, "uninstall-release")] },
  cilium: { rows: [row(/^uninstall\b/, "uninstall-release")] },
  flux: { valued: ["n", "namespace"], rows: [row(/^(uninstall|delete)\b/, "uninstall-release")] },
  argocd: {
    rows: [
      row(
        /^(app|proj|appset|cluster|repo|account|gpg|cert) (delete|rm|delete-resource|delete-token)\b/,
        "uninstall-release",
      ),
      row(/^app rollback\b/, "roll-back"),
      row(/^app terminate-op\b/, "roll-back"),
      row(/^app sync\b/, "replace", { given: ["prune"] }),
    ],
  },
  velero: {
    valued: ["n", "namespace"],
    rows: [
      row(
        /^((backup|restore|schedule|backup-location|snapshot-location) delete|delete|uninstall)\b/,
        "delete-namespace",
      ),
    ],
  },
  etcdctl: { rows: [row(/^(del|member remove|rm|rmdir)\b/, "delete-resource")] },
  calicoctl: { rows: [row(/^delete\b/, "delete-resource")] },
  rancher: { rows: [row(/^(delete|rm|clusters? delete|projects? delete|namespaces? delete)\b/, "delete-resource")] },
};

const asEffects = (found: { deed: Deed; detail: string } | undefined): CommandEffect[] =>
  found ? [{ type: "container", ...found }] : [];

const tool =
  (name: string): Program =>
  ({ program, args }) => {
    const known = TOOLS[name];
    return known ? asEffects(findVerb(program, args, known)) : [];
  };

/** Scripts that come with a cluster and take it away again. */
const uninstaller: Program = ({ program, args }) =>
  rehearses(readOptions(args), ["help", "h"]) ? [] : [{ type: "container", deed: "delete-cluster", detail: program }];

export const CONTAINERS: Programs = {
  ...Object.fromEntries(Object.keys(TOOLS).map((name) => [name, tool(name)])),
  incus: tool("lxc"),
  orb: tool("colima"),
  docker,
  podman: docker,
  nerdctl: docker,
  "docker-compose": docker,
  "podman-compose": docker,
  kubectl,
  oc: kubectl,
  k: kubectl,
  kubecolor: kubectl,
  k3s: innerKubectl,
  microk8s: (call, context) => [...innerKubectl(call, context), ...tool("microk8s")(call, context)],
  minikube: (call, context) => [...innerKubectl(call, context), ...tool("minikube")(call, context)],
  "k3s-uninstall.sh": uninstaller,
  "k3s-agent-uninstall.sh": uninstaller,
  "k3s-killall.sh": uninstaller,
  "rke2-uninstall.sh": uninstaller,
};
