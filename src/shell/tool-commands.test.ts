/** Commands that tools run in their turn are found, with the words they would run. */
import { expect, it } from "vitest";
import { walkCommand } from "./walk.ts";

const programsOf = (command: string) =>
  walkCommand(command, { cwd: "/work", homeDir: "/home/person" }).invocations.map(({ program, args }) =>
    [program, ...args.map(({ text }) => text)].join(" "),
  );

it.each([
  ["doppler run -- terraform destroy", "terraform destroy"],
  ["doppler run --command 'npm publish && ls'", "npm publish"],
  ["op run --env-file .env -- git reset --hard", "git reset --hard"],
  ["aws-vault exec prod -- aws s3 rb s3://b", "aws s3 rb s3://b"],
  ["railway run npm publish", "npm publish"],
  ["yarn cdk destroy --all", "cdk destroy --all"],
  ["yarn run cdk destroy", "cdk destroy"],
  ["pnpm -F infra sst remove", "sst remove"],
  ["bun wrangler delete", "wrangler delete"],
  ["yarn dlx lerna publish", "lerna publish"],
  ["ansible all -m shell -a 'rm -rf /data'", "rm -rf /data"],
  ["ansible web -a 'reboot'", "reboot"],
])("%s starts %s", (command, inner) => {
  expect(programsOf(command)).toContain(inner);
});

it.each([
  ["yarn add cdk"],
  ["yarn test"],
  ["pnpm install"],
  ["doppler secrets"],
  ["ansible all -m ping"],
  ["ansible all -m copy -a 'src=a dest=b'"],
])("%s starts nothing else", (command) => {
  expect(programsOf(command)).toHaveLength(1);
});
