/** For tests: the worker built once for a file, and a project with a runner of its own for each test. */
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { type BuiltPackage, buildPackage, type Project, temporaryProject } from "./module.fixture.ts";
import { createModuleRunner, type ModuleRunner } from "./module-host.ts";

export interface RunnerScene {
  readonly project: Project;
  readonly runner: ModuleRunner;
}

/** What is in it is there while a test runs. */
export function runnerForEachTest(): RunnerScene {
  let built: BuiltPackage;
  const scene = {} as { project: Project; runner: ModuleRunner };
  beforeAll(async () => {
    built = await buildPackage();
  });
  afterAll(() => built.remove());
  beforeEach(() => {
    scene.project = temporaryProject();
    scene.runner = createModuleRunner(built);
  });
  afterEach(async () => {
    await scene.runner.close();
    scene.project.remove();
  });
  return scene;
}
