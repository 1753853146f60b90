/** Processes, power, services, accounts, the firewall, the kernel, packages: the machine as a whole. */
import { type Arg, texts, UNKNOWN } from "../arg.ts";
import type { CommandEffect } from "../effect.ts";
import { has, readOptions } from "../options.ts";
import type { Program, Programs } from "../programs.ts";

const system = (deed: string, detail: string): CommandEffect => ({ type: "system", deed, detail });
const line = (program: string, args: readonly Arg[]) =>
  `${program} ${texts(args).join(" ")}`.replaceAll(UNKNOWN, "$…").trim();

/** -1 is everybody, 1 is init; a group of processes is many. */
export function killEffect(target: string, signal: string): CommandEffect {
  const whom = target === "-1" || target === "1" || target === "0" ? "all" : /^-\d+$/.test(target) ? "many" : "one";
  return { type: "kill", whom, signal };
}

const kill: Program = ({ args }) => {
  const words = texts(args);
  if (words.some((word) => /^(-l|-L|--list|-0)$/.test(word))) return [];
  const signalled = words[0] && /^-(\d+|[A-Z]\w*|s|n|-signal.*)$/i.test(words[0]) && words.length > 1;
  const separate = words[0] === "-s" || words[0] === "-n" || words[0] === "--signal";
  const rest = words.slice(signalled ? (separate ? 2 : 1) : 0).filter((word) => word !== "--");
  return rest.map((target) =>
    killEffect(target, signalled ? (separate ? (words[1] ?? "") : (words[0] as string)) : "TERM"),
  );
};

/** Processes that hold the session or the machine together. */
const VITAL =
  /^(init|systemd\S*|launchd|sshd|dbus\S*|Xorg|gdm\S*|WindowServer|loginwindow|kernel_task|NetworkManager|dockerd|containerd|kubelet|cron|bash|zsh|sh|login|\.|\.\*|\*|)$/;

const killByName: Program = ({ program, args }) => {
  const options = readOptions(args, {
    valued: ["s", "signal", "u", "user", "U", "t", "terminal", "P", "parent", "G", "g", "y", "o", "n"].filter(
      (name) => program !== "pkill" || (name !== "o" && name !== "n"),
    ),
  });
  if (has(options, "l", "list", "V", "version", "0")) return [];
  const signal = [...options.given].find((name) => /^(\d|KILL|SIGKILL)/.test(name)) ?? "TERM";
  const everybody =
    (has(options, "u", "U", "user", "uid", "euid") && options.operands.length === 0) || program === "killall5";
  if (everybody) return [{ type: "kill", whom: "all", signal }];
  return options.operands.map(({ text }) => ({ type: "kill", whom: VITAL.test(text) ? "all" : "one", signal }));
};

const power =
  (harmless: RegExp = /^(--help|-h$|--version|-w|--wtmp-only|-c|--show)$/): Program =>
  ({ program, args }) =>
    args.some(({ text }) => harmless.test(text) && !(program === "shutdown" && text === "-h"))
      ? []
      : [{ type: "power", deed: line(program, args) }];

const init: Program = ({ program, args }) =>
  /^[016sS]$/.test(args[0]?.text ?? "") ? [{ type: "power", deed: line(program, args) }] : [];

/** Services without which the machine, its network or its data are not there. */
const CRITICAL =
  /^(ssh|sshd|systemd-\S+|dbus\S*|network\S*|NetworkManager|networking|firewalld|ufw|iptables|nftables|auditd|apparmor|docker|containerd|kubelet|k3s|etcd|cron|crond|rsyslog|syslog|postgres\S*|mysql\S*|mariadb|mongod|redis\S*|nginx|apache2|httpd|haproxy|polkit|gdm\S*|lightdm|chronyd|ntpd|fail2ban|named|bind9|falcon-sensor|clamav\S*|wazuh\S*|crowdstrike\S*)(\.service|\.socket|\.target)?$/;

const systemctl: Program = ({ program, args }) => {
  const options = readOptions(args, {
    valued: ["H", "host", "M", "machine", "t", "type", "p", "property", "n", "lines", "o", "output", "s", "signal"],
  });
  if (has(options, "user", "help", "h", "dry-run")) return [];
  const [verb, ...units] = texts(options.operands);
  if (!verb) return [];
  if (/^(poweroff|reboot|halt|kexec|emergency|rescue|suspend|hibernate|exit|soft-reboot|hybrid-sleep)$/.test(verb))
    return [{ type: "power", deed: line(program, args) }];
  if (verb === "isolate") return [{ type: "power", deed: line(program, args) }];
  if (verb === "set-default" && /rescue|emergency/.test(units[0] ?? ""))
    return [{ type: "power", deed: line(program, args) }];
  if (!/^(stop|disable|mask|kill|revert)$/.test(verb)) return [];
  if (verb === "mask" || units.some((unit) => CRITICAL.test(unit) || unit.includes("*")))
    return [system("stop-service", line(program, args))];
  return [];
};

/** `service nginx stop`, `rc-service x stop`. */
const service: Program = ({ program, args }) => {
  const [name, verb] = texts(args);
  return verb === "stop" && name && CRITICAL.test(name) ? [system("stop-service", line(program, args))] : [];
};

const launchctl: Program = ({ program, args }) => {
  const [verb] = texts(args);
  if (verb === "reboot") return [{ type: "power", deed: line(program, args) }];
  const target = texts(args).slice(1).join(" ");
  return verb && /^(bootout|unload|remove|disable)$/.test(verb) && /system|com\.apple|LaunchDaemons/.test(target)
    ? [system("stop-service", line(program, args))]
    : [];
};

const iptables: Program = ({ program, args }) => {
  const words = texts(args);
  if (words.some((word) => /^(-L|-S|--list\S*|-C|--check)$/.test(word))) return [];
  const flushes = words.some((word) => /^(-F|--flush|-X|--delete-chain)$/.test(word));
  const opens = words.some((word, index) => /^(-P|--policy)$/.test(word) && /ACCEPT|DROP/.test(words[index + 2] ?? ""));
  const drops =
    words.includes("DROP") &&
    words.some((word) => /^(-A|-I)$/.test(word)) &&
    !words.some((word) => /^(-s|-p|--dport|--source|-d|-i)$/.test(word));
  return flushes || opens || drops ? [system("firewall", line(program, args))] : [];
};

const whenMatches =
  (deed: string, pattern: RegExp, unless?: RegExp): Program =>
  ({ program, args }) => {
    const words = texts(args).join(" ");
    return pattern.test(words) && !unless?.test(words) ? [system(deed, line(program, args))] : [];
  };

const account: Program = ({ program, args }) => {
  const options = readOptions(args);
  if (has(options, "help", "version", "S", "status") || args.length === 0)
    return program === "visudo" || program === "vipw" ? [system("account", program)] : [];
  return [system("account", line(program, args))];
};

const usermod: Program = ({ program, args }) =>
  args.some(({ text }) => /^(-\w*[LeGasUdp]|--(lock|groups|append|shell|expiredate|uid|login|password))$/.test(text))
    ? [system("account", line(program, args))]
    : [];

/** Packages that a system cannot lose; anything removed with `purge` or with its dependents. */
const ESSENTIAL =
  /^(libc6|libc-bin|bash|dash|coreutils|glibc|systemd\S*|linux-\S+|kernel\S*|grub\S*|apt|dpkg|rpm|dnf|yum|pacman|sudo|openssh-server|openssh|python3?(-minimal)?|init|util-linux|base|base-files|network-manager|NetworkManager|filesystem|login|passwd|e2fsprogs|mount|perl-base|tar|\*)$/;

const packages: Program = ({ program, args }) => {
  const options = readOptions(args, { valued: ["o", "t", "c", "root"] });
  if (
    (program !== "pacman" && has(options, "s")) ||
    has(options, "simulate", "dry-run", "just-print", "download-only", "assumeno", "help", "h")
  )
    return [];
  const pacman = program === "pacman" || program === "yay" || program === "paru";
  const [verb = "", ...names] = texts(options.operands);
  const removes = pacman
    ? [...options.given].includes("R")
    : /^(remove|purge|autoremove|erase|autopurge|del|rm|remove-essential|uninstall)$/.test(verb) ||
      (program === "dpkg" && has(options, "r", "P", "remove", "purge")) ||
      (program === "rpm" && has(options, "e", "erase"));
  if (!removes) return [];
  const gone = pacman || program === "dpkg" || program === "rpm" ? [verb, ...names] : names;
  const forced =
    has(
      options,
      "allow-remove-essential",
      "force-remove-essential",
      "force-yes",
      "nodeps",
      "force-all",
      "force-remove-reinstreq",
    ) ||
    (pacman && options.given.has("d"));
  const sweeping =
    /^(purge|autopurge)$/.test(verb) ||
    (verb === "autoremove" && has(options, "y", "purge")) ||
    (pacman && (options.given.has("c") || options.given.has("n")));
  return gone.some((name) => ESSENTIAL.test(name)) || forced || sweeping || has(options, "purge")
    ? [system("remove-packages", line(program, args))]
    : verb === "remove" || verb === "erase" || pacman
      ? has(options, "y", "assume-yes", "yes", "noconfirm")
        ? [system("remove-packages", line(program, args))]
        : []
      : [];
};

const history: Program = ({ program, args }) =>
  args.some(({ text }) => /^-\w*c/.test(text)) ? [system("erase-history", line(program, args))] : [];

const mount: Program = ({ program, args }) => {
  const words = texts(args).join(" ");
  return /remount/.test(words) && /\brw\b|\bro\b|exec/.test(words) ? [system("mount", line(program, args))] : [];
};

const umount: Program = ({ program, args }) => {
  const options = readOptions(args, { valued: ["t", "O"] });
  const vital = options.operands.some(({ text }) => /^\/(home|usr|var|boot|etc|boot\/efi|)$/.test(text));
  return vital || has(options, "a", "all", "l", "lazy") || (has(options, "f") && has(options, "R"))
    ? [system("mount", line(program, args))]
    : [];
};

const crontab: Program = ({ program, args, stdin }, { input }) => {
  const options = readOptions(args, { valued: ["u"] });
  if (has(options, "r")) return [system("erase-crontab", line(program, args))];
  if (
    options.operands.some(({ text }) => text === "/dev/null") ||
    (stdin.type === "file" && stdin.path.text === "/dev/null") ||
    (stdin.type === "text" && input?.trim() === "")
  )
    return [system("erase-crontab", line(program, args))];
  return [];
};

const sysctl: Program = ({ program, args }) => {
  const writes =
    args.some(({ text }) => /^(-w|--write|-p|--load|--system)$/.test(text)) ||
    args.some(({ text }) => /^[\w./-]+=/.test(text));
  const words = texts(args).join(" ");
  return writes &&
    /\b(kernel|net|vm|fs)\./.test(words) &&
    !/fs\.inotify|vm\.max_map_count|vm\.swappiness|net\.core\.somaxconn/.test(words)
    ? [system("kernel", line(program, args))]
    : [];
};

/** Windows: Remove-Item and friends, and their aliases. */
const removeItem: Program = ({ program, args }, { target }) => {
  const words = texts(args);
  if (words.some((word) => /^-(whatif|wi)$/i.test(word))) return [];
  const switches = words.filter((word) => /^[-/][a-z]/i.test(word) && !/^\/[a-z]+\//i.test(word));
  const recursive = switches.some((word) => /^(-r(ecurse)?|-rec\w*|\/s)$/i.test(word));
  const paths = args.filter(({ text }) => !/^-[a-z]/i.test(text) && !/^\/[a-z]$/i.test(text));
  return paths.map((path): CommandEffect => {
    const text = path.text.replace(/\\/g, "/");
    // A drive, the user's folder, Windows itself: the root of things.
    const vital = /^[a-z]:\/?(\*|Windows\b.*|Users(\/[^/]*)?|Program Files.*)?$/i.test(text);
    return {
      type: "delete",
      path: vital
        ? { written: path.text, path: "/", contents: false, glob: true }
        : target({
            ...path,
            text: text.replace(/^[a-z]:\//i, (drive) => `/mnt/${drive[0]?.toLowerCase()}/`),
            glob: path.glob || text.includes("*"),
          }),
      recursive: recursive || (program === "rd" && recursive),
    };
  });
};

export const SYSTEM: Programs = {
  kill,
  killall: killByName,
  pkill: killByName,
  killall5: killByName,
  skill: killByName,
  "stop-process": ({ args }) =>
    args.some(({ text }) => text === "*") ? [{ type: "kill", whom: "all", signal: "KILL" }] : [],
  shutdown: power(/^(--help|--version|-c|--show)$/),
  reboot: power(),
  halt: power(),
  poweroff: power(),
  "stop-computer": power(),
  "restart-computer": power(),
  init,
  telinit: init,
  systemctl,
  service,
  "rc-service": service,
  launchctl,
  loginctl: whenMatches("account", /^(terminate-user|kill-user|terminate-session|kill-session|terminate-seat)/),
  iptables,
  ip6tables: iptables,
  ebtables: iptables,
  nft: whenMatches("firewall", /(^| )(flush (ruleset|table|chain)|delete (table|chain))/),
  ufw: whenMatches("firewall", /(^| )(disable|reset)/, /status/),
  "firewall-cmd": whenMatches("firewall", /--(panic-on|remove-service=ssh|complete-reload)/),
  pfctl: whenMatches("firewall", /(^| )(-d|-F ?(all|rules|nat)?)( |$)/),
  netsh: whenMatches("firewall", /advfirewall.*(off|reset)/i),
  ip: whenMatches(
    "network-down",
    /^(link set( dev)? \S+ down|link (delete|del) |route (flush|del default)|addr flush)/,
  ),
  ifconfig: whenMatches("network-down", /\S+ down( |$)/),
  ifdown: whenMatches("network-down", /./, /--help/),
  nmcli: whenMatches(
    "network-down",
    /(networking off|(con|connection) (delete|down)|radio (all|wifi) off|device disconnect)/,
  ),
  crontab,
  userdel: account,
  deluser: account,
  groupdel: account,
  delgroup: account,
  passwd: account,
  chpasswd: ({ program }) => [system("account", program)],
  visudo: ({ program, args }) => (args.some(({ text }) => /^-\w*c/.test(text)) ? [] : [system("account", program)]),
  vipw: account,
  usermod,
  useradd: account,
  adduser: account,
  groupadd: account,
  gpasswd: account,
  chsh: whenMatches("account", /(^| )-s/),
  dscl: whenMatches("account", /(^| )-?(delete|passwd)( |$)/),
  net: whenMatches("account", /^user .*\/(delete|add)/i),
  setenforce: whenMatches("protection-off", /^(0|permissive)$/i),
  "aa-teardown": ({ program }) => [system("protection-off", program)],
  "aa-disable": ({ program, args }) => [system("protection-off", line(program, args))],
  "aa-complain": ({ program, args }) => [system("protection-off", line(program, args))],
  csrutil: whenMatches("protection-off", /disable/),
  spctl: whenMatches("protection-off", /--(master|global)-disable/),
  auditctl: whenMatches("protection-off", /(^| )(-e ?0|-D)( |$)/),
  tmutil: whenMatches("erase-backups", /^(delete|disable|deletelocalsnapshots|thinlocalsnapshots)/),
  vssadmin: whenMatches("erase-backups", /delete shadows/i),
  wbadmin: whenMatches("erase-backups", /delete/i),
  bcdedit: whenMatches("kernel", /\/(set|delete)/i),
  reg: whenMatches("registry", /^delete/i),
  "remove-itemproperty": whenMatches("registry", /HK(LM|CU)/i),
  sysctl,
  modprobe: whenMatches("kernel", /(^| )-r|--remove/),
  rmmod: whenMatches("kernel", /./, /--help|-h$/),
  insmod: whenMatches("kernel", /./, /--help|-h$/),
  kexec: whenMatches("kernel", /(^| )(-e|--exec)/),
  "update-grub": () => [],
  efibootmgr: whenMatches("kernel", /(^| )-\w*[BbO]/),
  history,
  chattr: whenMatches("protection-off", /(^| )-\w*[ia]( |$)/),
  mount,
  umount,
  swapoff: whenMatches("kernel", /./, /--help|-h$/),
  apt: packages,
  "apt-get": packages,
  aptitude: packages,
  dpkg: packages,
  yum: packages,
  dnf: packages,
  rpm: packages,
  zypper: packages,
  pacman: packages,
  yay: packages,
  paru: packages,
  apk: packages,
  "fork-bomb": () => [system("fork-bomb", "starts itself again and again")],
  "remove-item": removeItem,
  ri: removeItem,
  rd: removeItem,
  del: removeItem,
  erase: removeItem,
  deltree: removeItem,
  "clear-content": ({ args }, { target }) =>
    args
      .filter(({ text }) => !text.startsWith("-"))
      .map((path) => ({ type: "overwrite", path: target(path), append: false })),
  cipher: whenMatches("erase-backups", /\/w:/i),
  takeown: whenMatches("account", /\/r/i),
  nvram: whenMatches("kernel", /(^| )-c( |$)/),
  softwareupdate: () => [],
  logrotate: whenMatches("erase-history", /(^| )(-f|--force)( |$)/),
  journalctl: whenMatches("erase-history", /--vacuum-(time|size|files)=?\s*[01]?[a-z]*( |$)/),
};
