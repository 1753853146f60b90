import { describe, expect, it } from "vitest";
import { UNKNOWN } from "./arg.ts";
import type { Deed } from "./code/deeds.ts";
import { deedsOf } from "./code/evaluate.ts";
import type { Language } from "./code/tokens.ts";

const shown = (deeds: readonly Deed[]) =>
  deeds.map((deed) => {
    switch (deed.type) {
      case "script":
        return `run ${deed.text}`;
      case "words":
        return `run ${deed.words.map(({ text }) => text).join(" ")}`;
      case "delete":
        return `delete ${deed.path.text}${deed.recursive ? " and all below" : ""}`;
      case "overwrite":
        return `write ${deed.path.text}`;
      case "move":
        return `move ${deed.from.text} to ${deed.to.text}`;
      case "read":
        return `read ${deed.path.text}`;
      default:
        return deed.type;
    }
  });
const deeds = (language: Language, code: string) => shown(deedsOf(code, language));

describe("code that does something", () => {
  it.each<[Language, string, string]>([
    ["python", "import os\nos.system('ls')", "run ls"],
    ["python", "from os import system as s\ns('ls')", "run ls"],
    ["python", "from os import *\nsystem('ls')", "run ls"],
    ["python", "__import__('os').system('ls')", "run ls"],
    ["python", "import subprocess\nsubprocess.run(['rm', '-rf', '/x'], check=True)", "run rm -rf /x"],
    ["python", "import subprocess\nsubprocess.run(args=['rm', '/x'])", "run rm /x"],
    ["python", "import os\na = 'r' + 'm'\nos.system(a + ' x')", "run rm x"],
    ["python", "import os\nos.system(' '.join(['rm', '-r', 'x']))", "run rm -r x"],
    ["python", "import os\nos.system('rm {}'.format('x'))", "run rm x"],
    ["python", "import os\nos.system(f'rm {y}')", `run rm ${UNKNOWN}`],
    ["python", "import os\nos.system(chr(108)+chr(115))", "run ls"],
    ["python", "import os\nos.system(bytes.fromhex('6c73').decode())", "run ls"],
    ["python", "import shutil\nshutil.rmtree('/x')", "delete /x and all below"],
    [
      "python",
      "import shutil, os\nshutil.rmtree(os.path.join(os.path.expanduser('~'), 'x'))",
      "delete ~/x and all below",
    ],
    ["python", "import os\nos.chdir('/etc')\nos.remove('passwd')", "delete /etc/passwd"],
    ["python", "from pathlib import Path\n(Path.home() / 'x').unlink()", "delete ~/x"],
    ["python", "import pathlib\npathlib.Path('/x').write_text('y')", "write /x"],
    ["python", "with open('/x', 'w') as f:\n  f.write('y')", "write /x"],
    ["python", "import os\nos.rename('/a', '/b')", "move /a to /b"],
    ["python", "p = '/x'\nopen(p, 'w')", "write /x"],
    ["python", "p = '/x'; open(f'{p}/y', 'w')", "write /x/y"],
    ["python", "import os\nwhen = 'ls'; os.system(when)", "run ls"],
    ["javascript", "const p = '/x'; require('fs').writeFileSync(p, '')", "write /x"],
    ["ruby", "p File.delete('/x')", "delete /x"],
    ["python", "exec(\"import os; os.system('ls')\")", "run ls"],
    ["python", "import os\nfor d in ['/a']:\n  os.system('rm ' + d)", "run rm /a"],
    ["javascript", "require('child_process').execSync('ls')", "run ls"],
    ["javascript", "const { execSync: run } = require('node:child_process'); run('ls')", "run ls"],
    ["javascript", "import { rmSync as r } from 'node:fs'; r('/x', { recursive: true })", "delete /x and all below"],
    ["javascript", "await (await import('fs')).promises.rm('/x', { recursive: true })", "delete /x and all below"],
    ["javascript", "const x = '/x'; require('fs').rmSync(`${x}/y`)", "delete /x/y"],
    ["javascript", "require('child_process').spawn('rm', ['-rf', '/x'])", "run rm -rf /x"],
    ["javascript", "new Deno.Command('rm', { args: ['/x'] })", "run rm /x"],
    ["javascript", "await $`rm /x`", "run rm /x"],
    ["javascript", "require('fs')['rmSync']('/x')", "delete /x"],
    ["javascript", "eval(atob('cmVxdWlyZSgiZnMiKS51bmxpbmtTeW5jKCIveCIp'))", "delete /x"],
    ["ruby", "system 'ls'", "run ls"],
    ["ruby", "`ls #{x}`", `run ls ${UNKNOWN}`],
    ["ruby", "%x{ls}", "run ls"],
    ["ruby", "FileUtils.rm_rf File.join(Dir.home, 'x')", "delete ~/x and all below"],
    ["perl", "system('ls')", "run ls"],
    ["perl", "$x = '/x'; unlink $x", "delete /x"],
    ["perl", "open(F, '| ls')", "run  ls"],
    ["perl", "rmtree($ENV{HOME})", "delete ~ and all below"],
    ["php", "shell_exec('ls');", "run ls"],
    ["php", "$p = '/x'; unlink($p . '/y');", "delete /x/y"],
    ["lua", "os.execute('ls')", "run ls"],
    ["r", "unlink('/x', recursive = TRUE)", "delete /x and all below"],
    ["julia", 'rm("/x", recursive=true)', "delete /x and all below"],
    ["elixir", 'System.cmd("rm", ["-rf", "/x"])', "run rm -rf /x"],
  ])("%s: %s", (language, code, expected) => {
    expect(deeds(language, code)).toContain(expected);
  });
});

describe("code that only speaks of it", () => {
  it.each<[Language, string]>([
    ["python", "print('os.system(\"rm -rf /\")')"],
    ["python", "# import os; os.system('ls')"],
    ["python", '"""\nos.system("ls")\n"""'],
    ["python", "import re\nre.sub('rm', 'x', 'y')"],
    ["python", "app.run('ls')"],
    ["javascript", "console.log('rm -rf /')"],
    ["javascript", "// require('fs').rmSync('/')"],
    ["javascript", "/rm/.exec('rm -rf /')"],
    ["javascript", "const s = /'/g; 'x'"],
    ["ruby", "puts 'system \"ls\"'"],
    ["perl", "s/system('ls')/x/"],
    ["perl", "print q{unlink '/x'}"],
    ["php", "/* system('ls') */ echo 1;"],
    ["lua", "-- os.execute('ls')"],
  ])("%s: %s", (language, code) => {
    expect(deeds(language, code)).toEqual([]);
  });
});
