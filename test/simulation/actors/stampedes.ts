import { handler as createBenefit } from "../../../functions/benefits/create.ts";
import { handler as updateMember } from "../../../functions/members/update.ts";
import { isOk } from "../world/requests.ts";
import type { Act } from "./act.ts";

/**
 * Many requests write to one record at the same moment. Nearly all must succeed, and the others must be told to retry.
 */
export const stampede: Act = async (scene) => {
  const { chance, world, name } = scene;
  const managed = scene.managed();
  if (!managed) return;
  const { community, params, as } = managed;
  const isQuiet = !world.faults.isOn || world.faults.isWeak;
  const writers = Array.from({ length: chance.integer(20, 100) }, (_, n) => n);
  const isOfBenefits = chance.is(0.5);
  const outcomes = await Promise.all(
    writers.map((n) =>
      isOfBenefits
        ? scene.send(createBenefit, {
            as,
            params: { community_id: community.id },
            body: { benefit: { name: `${name} ${n}` } },
          })
        : scene.send(updateMember, { as, params, body: { member: { metadata: { notes: `${name} ${n}` } } } }),
    ),
  );
  if (!isOfBenefits)
    for (const [n, outcome] of outcomes.entries())
      world.acknowledged.write({ kind: "member", id: params.id, field: "notes" }, `${name} ${n}`, outcome);
  const tried = outcomes.filter(({ status }) => isOk({ status } as never) || status >= 500);
  const done = tried.filter(isOk).length;
  if (isQuiet && done < tried.length * 0.95)
    world.violate("parallel writers", `only ${done} of ${tried.length} parallel writers succeeded`);
};
