/** The knowledge of the project somebody stands in, as its config has it. */
import type { Environment } from "../../config/places.ts";
import { readyEngine } from "../../engine/ready.ts";
import { type KnowledgePlaces, knowledgePlaces } from "../../knowledge/places.ts";
import { type KnowledgeSettings, knowledgeSettings } from "../../knowledge/settings.ts";

export interface ProjectKnowledge {
  readonly isOn: boolean;
  readonly places: KnowledgePlaces;
  readonly settings: KnowledgeSettings;
}

export async function projectKnowledge(cwd: string, env: Environment, distDir: string): Promise<ProjectKnowledge> {
  const { plan, close } = await readyEngine(cwd, env, distDir);
  await close();
  const section = plan.settings.knowledge;
  return { isOn: section !== undefined, places: knowledgePlaces(plan.root), settings: knowledgeSettings(section) };
}
