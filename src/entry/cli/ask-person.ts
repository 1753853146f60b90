/** The questions `init` puts to a person at a terminal. */
import { confirm, isCancel, multiselect } from "@clack/prompts";
import type { FoundHost } from "./host-search.ts";

/** undefined: the person gave up. */
export async function askHosts(
  found: readonly FoundHost[],
  taken: readonly string[],
): Promise<readonly string[] | undefined> {
  const answer = await multiselect({
    message: "Which agents shall keep to the rules?",
    options: found.map(({ host, inProject, inHome, program }) => ({
      value: host.id,
      label: host.title,
      hint: program
        ? "installed"
        : inProject.length > 0
          ? "used in this project"
          : inHome.length > 0
            ? "used before"
            : "",
    })),
    initialValues: [...taken],
    required: true,
  });
  return isCancel(answer) ? undefined : answer;
}

/** Some agents run only what their person has vouched for. */
export async function askConsent(files: readonly string[]): Promise<boolean> {
  const answer = await confirm({
    message: `Vouch for these hooks, so that they run without being reviewed in each agent? (${files.join(", ")})`,
  });
  return answer === true;
}
