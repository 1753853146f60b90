/** The predecessor's checklist: K-7 to K-11, KB-1, and the bypasses and false blocks of A9, by name. */
import { describe, expect, it } from "vitest";
import { judgeCase } from "./cases.ts";
import { reasonOf } from "./judge.ts";

const decision = (command: string) => judgeCase(command).decision;
const isStopped = (command: string) => ["block", "ask"].includes(decision(command));

describe("K-7: the fourteen patterns, in any letter case, anywhere in a compound command", () => {
  const patterns = [
    "rm -rf /",
    "rm -rf /*",
    "rm -rf ~",
    "psql -c 'drop table users'",
    "psql -c 'drop database prod'",
    "psql -c 'truncate table users'",
    "git push --force origin main",
    "git push --force origin master",
    "git push -f origin main",
    "git push -f origin master",
    "git reset --hard origin/main",
    "mkfs.ext4 /dev/sda1",
    "dd if=/dev/zero of=/dev/sda",
    "echo x > /dev/sda",
    "drop table users",
    "drop database prod",
    "truncate table users",
  ];
  it.each(patterns)("K-7: %s is blocked", (command) => {
    expect(decision(command)).toBe("block");
  });
  it.each(patterns.map((command) => command.toUpperCase()))("K-7: %s is blocked", (command) => {
    expect(decision(command)).toBe("block");
  });
  it.each(patterns.map((command) => `cd src && npm test; ${command} || true`))("K-7: %s is blocked", (command) => {
    expect(decision(command)).toBe("block");
  });
});

it("K-8: the message states the reason and the offending command", () => {
  const [finding] = judgeCase("npm test && rm -rf ~").findings;
  expect(finding && reasonOf(finding)).toMatch(
    /`rm -rf ~` would delete .*\nDo instead: .*\nRule filesystem\/delete-system/s,
  );
});

describe("K-9: ordinary commands", () => {
  it.each([
    "cargo test",
    "npm run build",
    "git add -A",
    "git commit -m 'x'",
    "rm src/temp.rs",
    "git push origin feature",
    "git push --force origin feature-branch",
  ])("K-9: %s is left alone", (command) => {
    expect(decision(command)).toBe("none");
  });
});

describe("K-11: nothing to run", () => {
  it.each(["", " ", "\n", "# rm -rf /"])("K-11: %j is left alone", (command) => {
    expect(decision(command)).toBe("none");
  });
});

describe("KB-1: bypasses of A9 are stopped", () => {
  it.each([
    "rm -fr /",
    "rm -r -f /",
    "rm  -rf /",
    "rm -rf -- /",
    "rm -rf $HOME",
    "rm -rf .",
    "rm -rf *",
    "rm -rf ./a /",
    "rm --recursive --force /",
    "find / -delete",
    "chmod -R 777 /",
    "git push origin main --force",
    "git push --force",
    "git push origin +main",
    "git push --force-with-lease origin main",
    "git push --force upstream main",
    "git reset --hard",
    "git reset --hard @{u}",
    "git reset --hard upstream/main",
    "git clean -fdx",
    "dd if=/dev/urandom of=/dev/sda",
    "dd of=/dev/sda if=/dev/zero",
    "mkfs -t ext4 /dev/sda1",
    ">/dev/sda",
    "> /dev/sdb",
    'psql -c "drop  table users"',
    'psql -c "drop schema public cascade"',
    'psql -c "DELETE FROM users"',
    "echo cm0gLXJmIC8= | base64 -d | sh",
    "r''m -r\"f\" /",
    "r\\m -rf /",
    "printf 'rm -rf /\\n' > x.sh && sh x.sh",
    "echo 'rm -rf ~' > x.sh; chmod +x x.sh; ./x.sh",
    "cat > x.sh <<'END'\nrm -rf /\nEND\nbash x.sh",
    "cat > x.py <<'END'\nimport shutil\nshutil.rmtree('/')\nEND\npython3 x.py",
  ])("KB-1: %s is stopped", (command) => {
    expect(isStopped(command)).toBe(true);
  });
});

describe("KB-1: false blocks of A9 pass", () => {
  it.each([
    "rm -rf /tmp/build",
    "rm -rf ~/x",
    "git push --force origin main-fix",
    "git push --force origin maintenance",
    "grep 'drop table' schema.sql",
    "git commit -m 'never rm -rf / again; drop table users'",
    "echo x > /dev/sda_notes.txt",
    "sed -n 1p state.toml",
    "cat state.toml > /tmp/x",
    "cat state.toml 2> /dev/null",
    "echo hi; cat state.toml",
    "echo '[build]' >> .cargo/config.toml",
  ])("KB-1: %s is left alone", (command) => {
    expect(decision(command)).toBe("none");
  });
});
