/** What a release does, step by step; the real ones are in `tools/scripts/deploy.ts`. */
export type Steps = {
  /**
   * What runs now; undefined before the first deployment has succeeded.
   *
   * @throws Error if another deployment is running, or the last one stopped halfway
   */
  readonly running: () => Promise<Running | undefined>;
  /** @param isFirst whether nothing runs yet */
  readonly prepare: (isFirst: boolean) => Promise<void>;
  /** Why AWS would roll back an update of this template, one sentence for each reason. */
  readonly refusals: (template: string) => Promise<readonly string[]>;
  /** Shows what would change, permissions among it. */
  readonly diff: () => Promise<void>;
  readonly ask: () => Promise<boolean>;
  /** @param triggers ARNs of the alarms that take the deployment back */
  readonly deploy: (triggers: readonly string[]) => Promise<void>;
  readonly protect: () => Promise<void>;
  /** @returns what is wrong with what is deployed; undefined during maintenance, when nothing answers */
  readonly smoke: (isNew: boolean) => Promise<readonly string[] | undefined>;
  /** Deploys a template that was deployed before. */
  readonly restore: (template: string) => Promise<void>;
  readonly say: (line: string) => void;
};

export type Running = {
  readonly template: string;
  readonly triggers: readonly string[];
};

/**
 * Deploys a stage, looks whether it works, and deploys what ran before again where it does not.
 *
 * @returns whether the new version is what runs now
 * @throws Error where the deployment fails, which CloudFormation takes back itself, and where another one interferes
 */
export async function release(steps: Steps): Promise<boolean> {
  const before = await steps.running();
  await steps.prepare(before === undefined);
  const refusals = before ? await steps.refusals(before.template) : [];
  for (const one of refusals) steps.say(one);
  if (refusals.length > 0) return false;
  await steps.diff();
  if (!(await steps.ask())) {
    steps.say("Nothing was deployed.");
    return false;
  }
  const now = await steps.running();
  if (now?.template !== before?.template)
    throw new Error("Somebody else has deployed in the meantime: deploy again to see what would change now");
  await steps.deploy(before?.triggers ?? []);
  await steps.protect();
  const wrong = await steps.smoke(true);
  if (!wrong) {
    steps.say("Deployed. Nothing responds during maintenance.");
    return true;
  }
  if (wrong.length === 0) {
    steps.say("The new version is deployed and responds.");
    return true;
  }
  for (const one of wrong) steps.say(`WRONG  ${one}`);
  if (!before) {
    steps.say("It stays deployed, because there is no previous version.");
    return false;
  }
  steps.say("Deploying the previous version again.");
  await steps.restore(before.template);
  const left = (await steps.smoke(false)) ?? [];
  for (const one of left) steps.say(`WRONG  ${one}`);
  if (left.length === 0) steps.say("The previous version responds.");
  return false;
}
