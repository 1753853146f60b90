/** Programs that write disks: raw copies, file systems, partitions, volumes. */
import { type Arg, arg } from "../arg.ts";
import type { CommandEffect, DeviceDeed } from "../effect.ts";
import { has, type OptionShape, readOptions } from "../options.ts";
import type { Program, Programs } from "../programs.ts";
import { isDevice } from "./redirects.ts";

const dd: Program = ({ args }, { target }) => {
  const operand = (name: string) => {
    const found = args.find(({ text }) => text.toLowerCase().startsWith(`${name}=`));
    return found && { ...found, text: found.text.slice(name.length + 1) };
  };
  const [from, to] = [operand("if"), operand("of")];
  if (!to) return from ? [{ type: "read", path: target(from) }] : [];
  const path = target(to);
  if (
    path.path === undefined ||
    isDevice(path.path) ||
    /^\/dev\/(?!null|zero|full|stdout|stderr|tty|fd\/|shm\/|pts\/)/.test(path.path ?? path.written)
  )
    return [{ type: "device", path, deed: "write" }];
  return [{ type: "overwrite", path, append: false }];
};

const asks = ["help", "h", "V", "version", "n", "l", "list", "N"];

/** A program that does its deed to each operand, unless it is only asked something. */
const toEach =
  (deed: DeviceDeed, { harmless = asks, ...shape }: OptionShape & { harmless?: readonly string[] } = {}): Program =>
  ({ args }, { target }) => {
    const options = readOptions(args, shape);
    if (has(options, ...harmless)) return [];
    return options.operands
      .filter(({ text }) => deed !== "format" || !/^\d+[kKmMgG]?$/.test(text))
      .map((operand) => ({ type: "device", path: target(operand), deed }));
  };

/** An image file is nobody's disk. */
const makeFilesystem: Program = ({ args }, { target }) => {
  const options = readOptions(args, {
    valued: ["t", "type", "L", "b", "i", "I", "m", "N", "O", "E", "U", "F", "s", "S", "n", "r", "C", "d"].filter(
      (name) => name !== "F" && name !== "n",
    ),
  });
  if (has(options, "help", "h", "V", "version") || (has(options, "n") && options.operands.length === 0)) return [];
  const devices = options.operands.filter(({ text }) => !/^\d+[kKmMgGtT]?$/.test(text));
  return devices.flatMap((device): CommandEffect[] => {
    const path = target(device);
    return isImage(path.path) ? [] : [{ type: "device", path, deed: "format" }];
  });
};

const isImage = (path: string | undefined) =>
  path !== undefined && !path.startsWith("/dev/") && /\.(img|iso|raw|qcow2|ext\d|fs|bin|disk)$/.test(path);

const onlyWith =
  (deed: DeviceDeed, pattern: RegExp, last = true): Program =>
  ({ args }, { target }) => {
    if (!args.some(({ text }) => pattern.test(text))) return [];
    const operand =
      (last ? args.findLast(({ text }) => !text.startsWith("-") && !pattern.test(text)) : args[0]) ?? arg("a disk");
    return [{ type: "device", path: target(operand), deed }];
  };

const partition: Program = ({ program, args, stdin }, { target }) => {
  const words = args.map(({ text }) => text);
  if (
    words.some((word) =>
      /^(-l|--list|-p|--print|-s|--show-size|-V|--version|-h|--help|-d|--dump|-i|--info|-x|--verify|-v|-J|--json|-F|--list-free)$/.test(
        word,
      ),
    ) &&
    !(program === "parted" && words.includes("-s"))
  )
    return [];
  if (
    program === "sgdisk" &&
    !words.some((word) =>
      /^(-[zZoOndtcgGAuUhsR]|--(zap|zap-all|clear|new|delete|typecode|mbrtogpt|load-backup))/.test(word),
    )
  )
    return [];
  const device = args.find(({ text }) => !text.startsWith("-"));
  if (
    program === "parted" &&
    words.some((word) => /^(print|unit|align-check)$/.test(word)) &&
    !words.some((word) => /^(mklabel|mkpart|rm|resizepart|mktable|mkpartfs|set|disk_set)$/.test(word))
  )
    return [];
  if (!device || (program === "fdisk" && stdin.type === "inherited" && words.length === 0)) return [];
  return [{ type: "device", path: target(device), deed: "partition" }];
};

const cryptsetup: Program = ({ args }, { target }) => {
  const { operands } = readOptions(args, { valued: ["c", "s", "h", "type", "key-file", "d", "S", "y"] });
  const at = operands.findIndex(({ text }) =>
    /^(luksformat|erase|lukserase|lukskillslot|luksremovekey|reencrypt|luksheaderrestore|format)$/i.test(text),
  );
  return at < 0 ? [] : [{ type: "device", path: target(operands[at + 1] ?? arg("a disk")), deed: "format" }];
};

/** `zpool destroy`, `lvremove`, `btrfs subvolume delete`: the volume's name is no path. */
const volume = (written: Arg | undefined, name: string): CommandEffect => ({
  type: "device",
  path: { written: written?.text ?? name, path: undefined, contents: false, glob: false },
  deed: "remove-volume",
});

const removeVolume: Program = ({ program, args }) => {
  const options = readOptions(args, { valued: ["S", "select", "config"] });
  return has(options, "t", "test", "help", "h") || args.length === 0 ? [] : [volume(options.operands[0], program)];
};

const zfs: Program = ({ program, args }) => {
  const options = readOptions(args, { valued: ["o"] });
  const [verb, ...rest] = options.operands;
  if (
    !verb ||
    !/^(destroy|labelclear|rollback|split)$/.test(verb.text) ||
    (verb.text !== "labelclear" && has(options, "n"))
  )
    return [];
  return [volume(rest.at(-1), program)];
};

const diskutil: Program = ({ args }, { target }) => {
  const words = args.map(({ text }) => text.toLowerCase());
  const at = words.findIndex((word) =>
    /^(erase(disk|volume|cd)|partitiondisk|zerodisk|randomdisk|secureerase|reformat|deletevolume|deletecontainer|splitpartition|mergepartitions|deletevolumegroup|resizecontainer)$/.test(
      word,
    ),
  );
  return at < 0 ? [] : [{ type: "device", path: target(args.at(-1) ?? arg("a disk")), deed: "format" }];
};

const mdadm: Program = ({ args }, { target }) => {
  const at = args.findIndex(({ text }) => /^--(zero-superblock|remove|stop|fail|create)$|^-[rfSC]$/.test(text));
  return at < 0
    ? []
    : [
        {
          type: "device",
          path: target(args.findLast(({ text }) => !text.startsWith("-")) ?? arg("an array")),
          deed: "format",
        },
      ];
};

const btrfs: Program = ({ args }) => {
  const words = args.map(({ text }) => text).join(" ");
  return /^(su\w* de\w*|device (remove|delete)|dev\w* rem|filesystem resize|check .*--repair)/.test(words)
    ? [volume(args.at(-1), "btrfs")]
    : [];
};

const dmsetup: Program = ({ args }) =>
  /^(remove|remove_all|wipe_table|clear)$/.test(args[0]?.text ?? "") ? [volume(args[1], "dmsetup")] : [];

/** `format C:`; other programs named format are formatters of code. */
const format: Program = ({ args }, { target }) => {
  const drive = args.find(({ text }) => /^[a-z]:[/\\]?$/i.test(text));
  return drive ? [{ type: "device", path: target(drive), deed: "format" }] : [];
};

const MKFS = [
  "mkfs",
  "mke2fs",
  "newfs",
  "mkdosfs",
  "mkntfs",
  "newfs_apfs",
  "newfs_hfs",
  "mkswap",
  "mkexfatfs",
  "mkreiserfs",
  "bcachefs",
];
const MKFS_TYPES = [
  "ext2",
  "ext3",
  "ext4",
  "xfs",
  "btrfs",
  "vfat",
  "fat",
  "msdos",
  "ntfs",
  "exfat",
  "f2fs",
  "minix",
  "cramfs",
  "jfs",
  "reiserfs",
  "ubifs",
  "zfs",
  "nilfs2",
  "bfs",
  "erofs",
  "gfs2",
  "ocfs2",
];

export const DISK: Programs = {
  dd,
  gdd: dd,
  dcfldd: dd,
  dc3dd: dd,
  ...Object.fromEntries([...MKFS, ...MKFS_TYPES.map((type) => `mkfs.${type}`)].map((name) => [name, makeFilesystem])),
  fdisk: partition,
  cfdisk: partition,
  sfdisk: partition,
  gdisk: partition,
  sgdisk: partition,
  parted: partition,
  wipefs: ({ program, args, ...rest }, context) =>
    args.some(({ text }) => /^(-\w*[aot]\w*|--(all|offset|types)\b.*)$/.test(text))
      ? toEach("format", { valued: ["o", "t", "offset", "types"], harmless: ["n", "no-act"] })(
          { program, args, ...rest },
          context,
        )
      : [],
  blkdiscard: toEach("format", {
    valued: ["o", "l", "p", "offset", "length", "step"],
    harmless: ["h", "help", "V", "version"],
  }),
  hdparm: onlyWith(
    "write",
    /^--(security-erase|security-erase-enhanced|trim-sector-ranges|write-sector|repair-sector|make-bad-sector|sanitize|fwdownload|yes-i-know|security-set-pass|dco-restore)/,
  ),
  nvme: onlyWith(
    "format",
    /^(format|sanitize|delete-ns|write-zeroes|write-uncor|dsm|fw-commit|reset|subsystem-reset|detach-ns)$/,
  ),
  cryptsetup,
  lvremove: removeVolume,
  vgremove: removeVolume,
  pvremove: removeVolume,
  lvreduce: removeVolume,
  vgreduce: removeVolume,
  lvresize: ({ args }) =>
    args.some(({ text }) => /^-?-?(L|size|l)?=?-\d/.test(text) || text.startsWith("-L-"))
      ? [volume(args.at(-1), "lvresize")]
      : [],
  zpool: zfs,
  zfs,
  mdadm,
  btrfs,
  dmsetup,
  diskutil,
  asr: onlyWith("write", /^--erase$/),
  format,
  badblocks: onlyWith("write", /^-\w*w/),
  resize2fs: onlyWith("format", /^-\w*[M]/),
  tune2fs: () => [],
  xfs_repair: onlyWith("write", /^-\w*L/),
  fsck: onlyWith("write", /^-\w*y/),
  e2fsck: onlyWith("write", /^-\w*y/),
  flashrom: onlyWith("write", /^-\w*[wE]|^--(write|erase)/),
  pv: () => [],
  "grub-install": toEach("write"),
  losetup: () => [],
  "clear-disk": toEach("format"),
  "format-volume": ({ args }, { target }) => [
    { type: "device", path: target(args.at(-1) ?? arg("a volume")), deed: "format" },
  ],
  "initialize-disk": toEach("format"),
  diskpart: ({ args }, { target }) =>
    args.some(({ text }) => text.toLowerCase() === "/s")
      ? [{ type: "device", path: target(arg("a disk")), deed: "partition" }]
      : [],
};
