/** The steps of a release. `tools/scripts/deploy.ts` implements them. */
export type Steps = {
  /**
   * The deployed version. Undefined before the first successful deployment.
   *
   * @throws Error if another deployment is running or the last one stopped halfway
   */
  readonly running: () => Promise<Running | undefined>;
  /** @param isFirst whether nothing is deployed yet */
  readonly prepare: (isFirst: boolean) => Promise<void>;
  /** Returns the reasons why AWS would roll back an update to this template, one sentence each. */
  readonly refusals: (template: string) => Promise<readonly string[]>;
  /** Prints the changes, including permissions. */
  readonly diff: () => Promise<void>;
  readonly ask: () => Promise<boolean>;
  /** @param triggers ARNs of the alarms that roll back the deployment; undefined for the first one */
  readonly deploy: (triggers: readonly string[] | undefined) => Promise<void>;
  readonly protect: () => Promise<void>;
  /**
   * @param template the template that was deployed again. Default: the new one
   * @returns the problems of the deployed version; undefined during maintenance
   */
  readonly smoke: (template?: string) => Promise<readonly string[] | undefined>;
  /** Deploys a previously deployed template. No alarm rolls this back, because the version before is the faulty one. */
  readonly restore: (template: string) => Promise<void>;
  /** Sets the firing alarms to OK, so that a fault that is still there notifies again. @returns their names */
  readonly resetAlarms: () => Promise<readonly string[]>;
  readonly say: (line: string) => void;
};

export type Running = {
  readonly template: string;
  readonly triggers: readonly string[];
  /** Whether alarms notify nobody, as during maintenance. */
  readonly isSilent: boolean;
};

/**
 * Deploys a stage, checks it, and deploys the previous version again if a check fails.
 *
 * @returns whether the new version is deployed
 * @throws Error if the deployment fails, which CloudFormation rolls back, or if another one interferes
 */
export async function release(steps: Steps): Promise<boolean> {
  const before = await steps.running();
  await steps.prepare(before === undefined);
  const refusals = before ? await steps.refusals(before.template) : [];
  for (const refusal of refusals) steps.say(refusal);
  if (refusals.length > 0) return false;
  await steps.diff();
  if (!(await steps.ask())) {
    steps.say("Nothing was deployed.");
    return false;
  }
  const now = await steps.running();
  if (now?.template !== before?.template)
    throw new Error("Somebody else has deployed in the meantime: deploy again to see what would change now");
  await steps.deploy(before?.triggers);
  await steps.protect();
  const wrong = await steps.smoke();
  if (!wrong) {
    steps.say("Deployed. Nothing responds during maintenance.");
    return true;
  }
  if (wrong.length === 0) {
    if (before?.isSilent)
      for (const name of await steps.resetAlarms()) steps.say(`${name} fired during maintenance: it was set to OK.`);
    steps.say("The new version is deployed and responds.");
    return true;
  }
  for (const problem of wrong) steps.say(`WRONG  ${problem}`);
  if (!before) {
    steps.say("It stays deployed, because there is no previous version.");
    return false;
  }
  steps.say("Deploying the previous version again.");
  await steps.restore(before.template);
  const left = await steps.smoke(before.template);
  for (const one of left ?? []) steps.say(`WRONG  ${one}`);
  if (!left) steps.say("The stage is in maintenance again: nothing responds until a deployment ends it.");
  else if (left.length === 0) steps.say("The previous version responds.");
  return false;
}
