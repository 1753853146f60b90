/** Losing files: what a wrong path in one command can destroy. */
import type { Target } from "../../../shell/effect.ts";
import { below } from "../../../shell/places.ts";
import { type Pack, rule } from "../rule.ts";
import { type Place, placeOf, type World } from "../world.ts";

const DISASTER: readonly Place[] = ["root", "system", "home", "precious", "other-home"];
const named = ({ written }: Target) => `\`${written}\``;

export const filesystem: Pack = {
  name: "filesystem",
  doc: "deleting, overwriting and opening up files that matter",
  rules: [
    rule("delete", {
      id: "filesystem/delete-system",
      severity: "block",
      why: ({ path }) => `would delete ${named(path)}, which this machine or its user cannot do without`,
      instead: "name the exact files inside the project, for example `rm -rf ./build`, or ask the person to do it.",
      when: ({ path, recursive }, world) => {
        const place = placeOf(path, world);
        return DISASTER.includes(place) && (recursive || path.glob || place === "system" || place === "precious");
      },
      stops: [
        "rm -rf /",
        "rm -fr /",
        "rm -r -f /",
        "rm  -rf /",
        "rm -rf -- /",
        "rm --recursive --force /",
        "rm -rf /*",
        "rm -rf ~",
        "rm -rf ~/",
        "rm -rf $HOME",
        'rm -rf "$HOME"/*',
        "rm -rf ~/[DP]*",
        "rm -rf ~/[_a-z]*",
        "rm -rf ~/.[cs]*",
        "rm -rf ./a /",
        "sudo rm -rf /etc",
        "rm -rf /usr/local/lib",
        "rm -rf /home/other",
        "rm -rf ~/.ssh",
        "rm ~/.ssh/id_ed25519",
        "rm /etc/passwd",
        "rm -rf ${PREFIX:-/}",
        "docker exec app sh -c 'cd / && rm -rf *'",
        "cd / && rm -rf *",
        "find / -delete",
        "find ~ -type f -exec rm -rf {} +",
        "r'm' -r\"f\" /",
        "echo cm0gLXJmIC8= | base64 -d | sh",
        "printf '%s\\n' x 'rm -rf ~' | sh",
        "printf -- 'rm -rf ~' | sh",
        "printf -v x -- '%s %s ' rm -rf /; $x",
        "sh -c 'rm -rf /'",
        "bash <<'END'\nrm -rf ~\nEND",
        'f() { rm -rf "$1"; }; f /',
        "echo / | xargs rm -rf",
        "RM -rf / 2>/dev/null || rm -rf /",
      ],
      passes: [
        "rm -rf /tmp/build",
        "rm -rf /tmp/*",
        "docker compose run --rm app rm -rf node_modules",
        "rm -rf ~/projects/old-build",
        "rm -rf node_modules dist",
        "rm -rf ./build",
        "rm src/temp.rs",
        'rm -rf "$TMPDIR/scratch"',
        "rm -rf $(mktemp -d)",
        "grep -rn 'rm -rf /' docs",
        "git commit -m 'never run rm -rf /'",
        "echo 'rm -rf /' >> notes.md",
        "cat <<'END' > notes.md\nrm -rf /\nEND",
        "find . -name '*.pyc' -delete",
      ],
    }),
    rule("delete", {
      id: "filesystem/delete-project",
      severity: "block",
      why: ({ path }) => `would delete the project itself (${named(path)})`,
      instead: "delete what you mean by name, for example `rm -rf ./dist`, or ask the person.",
      when: ({ path, recursive }, world) => {
        const place = placeOf(path, world);
        if (place === "repository") return recursive;
        return (
          (place === "here" || place === "above") &&
          (recursive || path.contents) &&
          !(path.glob && !path.contents && place === "here")
        );
      },
      stops: [
        "rm -rf .",
        "rm -rf *",
        "rm -rf ./*",
        "rm -rf [abc]*",
        "rm -rf ..",
        "rm -rf $PWD",
        "rm -rf .git",
        "rm -rf .git/objects",
        "rm -rf .git/refs/heads",
        "find . -delete",
        "rm -rf ../project",
        "rm *",
      ],
      passes: [
        "rm -rf build/*",
        "rm -rf ./tmp",
        "rm -f *.log",
        "rm -f *.[ch]",
        "cd /tmp/scratch && rm -rf *",
        "find . -name '*.tmp' -delete",
        "rm -rf .cache",
        "rm -rf .git/rebase-merge",
        "rm -f .git/index.lock",
      ],
    }),
    rule("delete", {
      id: "filesystem/delete-elsewhere",
      severity: "ask",
      why: ({ path }) => `would delete ${named(path)}, outside this project`,
      instead: "stay inside the project or a temporary directory (`rm -rf /tmp/scratch`), or let the person decide.",
      when: ({ path, recursive }, world) => {
        const place = placeOf(path, world);
        return (
          recursive &&
          (place === "outside" ||
            place === "personal" ||
            (place === "in-home" && /(^|\/)\.\.(\/|$)/.test(path.written)))
        );
      },
      stops: [
        "rm -rf ../other-project",
        "rm -rf /srv/app/releases/old",
        "rm -rf /opt/tool/cache",
        "rm -r /data/models/v1",
      ],
      passes: ["rm -rf /tmp/x", "rm /srv/app/one-file.log", "rm -rf ./cache", "ls /srv/app"],
    }),
    rule("delete", {
      id: "filesystem/delete-unknown",
      severity: "ask",
      why: ({ path }) => `would delete ${named(path)}, and nobody can say what that is before it runs`,
      instead: "look first (`ls`), then name the directory, for example `rm -rf ./build`.",
      when: ({ path, recursive }, world) => recursive && placeOf(path, world) === "unknown",
      stops: [
        "rm -rf $DIR",
        'rm -rf "$DIR"/*',
        "rm -rf $(cat targets.txt)",
        "cat list | xargs rm -rf",
        'cd "$SOMEWHERE" && rm -rf *',
      ],
      passes: [
        "DIR=build; rm -rf $DIR",
        "rm -rf ./out/$NAME",
        "rm -rf /tmp/$USER-cache",
        "for d in a b; do rm -rf ./$d; done",
        "rm $FILE",
      ],
    }),
    rule("delete", {
      id: "filesystem/shred",
      severity: "ask",
      why: ({ path }) => `overwrites ${named(path)} so that nothing can bring it back`,
      instead: "move it away (`mv secret.txt secret.txt.old`), or let the person decide.",
      when: ({ irrecoverable }) => irrecoverable === true,
      stops: ["shred -u secret.txt", "wipe -rf folder", "srm -r folder"],
      passes: ["rm secret.txt", "shred --help", "man shred"],
    }),
    rule("move", {
      id: "filesystem/move-away",
      severity: "block",
      why: ({ from, to }) =>
        to.path === "/dev/null" ? `throws ${named(from)} away` : `moves ${named(from)} from where it is needed`,
      instead: "move the files you mean by name, for example `mv build build.old`.",
      when: ({ from, to }, world) =>
        to.path === "/dev/null" || [...DISASTER, "here", "above", "repository"].includes(placeOf(from, world)),
      stops: [
        "mv ~ /dev/null",
        "mv important.txt /dev/null",
        "mv /etc /tmp/etc",
        "mv ~/.ssh /tmp",
        "mv .git /tmp/git",
        "sudo mv /usr/bin/python3 /tmp",
      ],
      passes: ["mv build build.old", "mv a.txt docs/", "mv /tmp/x ./x", "mv src/a.ts src/b.ts"],
    }),
    rule("overwrite", {
      id: "filesystem/overwrite-system",
      severity: "block",
      why: ({ path }) => `writes over ${named(path)}, which belongs to the system or to the person`,
      instead: "write inside the project (`cp hosts ./hosts.new`) and ask the person to put it in place.",
      when: ({ path, append }, world) =>
        !append &&
        ["root", "system", "precious"].includes(placeOf(path, world)) &&
        !HARMLESS.test(path.path ?? "") &&
        !LOCAL.test(path.path ?? ""),
      stops: [
        "echo x > /etc/passwd",
        "cat x | sudo tee /etc/hosts",
        "cp x /usr/bin/ls",
        "> /etc/fstab",
        "truncate -s 0 /var/log/auth.log",
        "echo key > ~/.ssh/authorized_keys",
        "ln -sf /bin/false /usr/bin/sudo",
      ],
      passes: [
        "echo x > out.txt",
        "make 2> /dev/null",
        "echo x > /tmp/x",
        "cp package.json /tmp/",
        "cat /etc/hosts > hosts.txt",
        "echo done > /dev/stderr",
        "ls > /dev/tty",
      ],
    }),
    rule("overwrite", {
      id: "filesystem/append-system",
      severity: "ask",
      why: ({ path }) => `changes ${named(path)}, which belongs to the system or to the person`,
      instead: "show the person the line you would add, and let them add it.",
      when: ({ path, append, lands }, world) =>
        append &&
        !(lands && isForInstalling(path, world)) &&
        ["system", "precious"].includes(placeOf(path, world)) &&
        !HARMLESS.test(path.path ?? "") &&
        !LOCAL.test(path.path ?? ""),
      stops: [
        "echo '127.0.0.1 x' >> /etc/hosts",
        "echo key >> ~/.ssh/authorized_keys",
        "sed -i s/a/b/ /etc/ssh/sshd_config",
        "echo alias >> ~/.bashrc",
        "sed -i s/a/b/ /etc/nginx/*",
        "sudo sed -i s/a/b/ /etc/ssh/*",
        "sudo tar -C /etc -xzf settings.tgz",
      ],
      passes: [
        "echo x >> notes.txt",
        "cat /etc/hosts >> notes.txt",
        "sudo tar -C /usr/local -xzf go.tgz",
        "sudo tar -C /opt -xzf tool.tgz",
        "tar -C ~/.local -xzf node.tgz",
        "unzip photos.zip -d ~/Downloads",
        "sed -i s/a/b/ src/app.ts",
      ],
    }),
    rule("permissions", {
      id: "filesystem/permissions",
      severity: "block",
      why: ({ path }) => `changes the permissions of everything under ${named(path)}`,
      instead: "change only the file that needs it, for example `chmod +x scripts/run.sh`.",
      when: ({ path, recursive }, world) =>
        recursive &&
        [...DISASTER, "unknown", "above", "personal"].includes(placeOf(path, world)) &&
        !LOCAL.test(path.path ?? ""),
      stops: [
        "chmod -R 777 /",
        "chmod -R 777 ~",
        "sudo chown -R me /usr",
        "chmod -R 000 /etc",
        "chown -R root $DIR",
        "chmod --recursive a+w /var",
      ],
      passes: [
        "chmod +x run.sh",
        "chmod -R u+w build",
        "chmod 644 README.md",
        "chown me file.txt",
        "chmod -x script.sh",
      ],
    }),
    rule("permissions", {
      id: "filesystem/weaken-system",
      severity: "ask",
      why: ({ path, mode }) => `gives everybody more rights over ${named(path)} than the system is built for (${mode})`,
      instead: "change only your own file, for example `chmod 644 notes.txt`, or let the person decide.",
      when: ({ path, mode }, world) =>
        SETUID.test(mode) || (OPEN.test(mode) && [...DISASTER, "unknown"].includes(placeOf(path, world))),
      stops: [
        "chmod 777 /etc/passwd",
        "chmod 777 /",
        "chmod u+s /bin/bash",
        "chmod 4755 ./tool",
        "sudo chmod o+w /etc/hosts",
        "chmod 777 ~/.ssh",
      ],
      passes: [
        "chmod 600 ~/.ssh/id_rsa",
        "sudo chmod +x /usr/local/bin/tool",
        "chmod 777 build.sh",
        "chmod 755 /etc/profile.d/x.sh",
        "chmod 0755 run.sh",
      ],
    }),
    rule("permissions", {
      id: "filesystem/open-to-all",
      severity: "ask",
      why: ({ path }) => `lets every user of the machine write ${named(path)} and all below it`,
      instead: "give only what is needed, for example `chmod -R u+rwX build`.",
      when: ({ path, recursive, mode }, world) =>
        recursive &&
        /^0?[0-7][0-7][2367]$|[ao]\+[rx]*w|^[+]w/.test(mode) &&
        ["here", "inside", "outside", "in-home", "repository"].includes(placeOf(path, world)),
      stops: ["chmod -R 777 .", "chmod -R 777 src", "chmod -R a+w src"],
      passes: ["chmod 777 one-file", "chmod -R 755 dist", "chmod -R u+w src"],
    }),
  ],
};

const OPEN = /^0?[0-7]?[0-7][0-7][2367]$|[ao][+=][rx]*w/;
const SETUID = /^[2467][0-7]{3}$|[ugo+]\+[rwx]*s/;

/** Where people install things of their own. */
const LOCAL = /^\/usr\/local\/[^/]+\/./;

/** Directories into which an archive is unpacked without anybody's settings being in the way. */
const isForInstalling = ({ path = "" }: Target, { homeDir }: World) =>
  /^\/(usr\/local|opt)(\/|$)/.test(path) ||
  [".local", "Documents", "Desktop", "Downloads", "Pictures"].some((name) => path === below(homeDir, name));

/** Devices that swallow or show what is written, and directories in which everybody may put a file. */
const HARMLESS =
  /^\/((private\/)?(var\/)?tmp|dev\/shm|dev\/([^/]+\.\w+|null|zero|full|stdin|stdout|stderr|tty|pts\/\d+|fd\/\d+|tcp\/.*|udp\/.*)|proc\/self\/fd\/\d+)$/;
