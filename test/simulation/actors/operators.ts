import { signIn } from "#lib/store/sign-in.ts";
import { subOf } from "../../../tools/local/users.ts";
import { Crashed } from "../world/invocation.ts";
import { compactOnce, expireItems, rebuildOnce, reconcileOnce } from "../world/schedules.ts";
import type { Repertoire } from "./act.ts";

/** Those who operate the system, and the machines it runs on. */
export const operators: Repertoire = {
  weight: 8,
  acts: {
    rebuild: [2, ({ world }) => world.busy(rebuildOnce(world))],
    compact: [3, ({ world }) => world.busy(compactOnce(world))],
    reconcile: [3, ({ world }) => world.busy(reconcileOnce(world))],
    restart: [
      3,
      async ({ world, chance }) => {
        const place = chance.integer(0, world.environments.length - 1);
        world.journal.note(`environment ${place} starts anew`);
        world.restart(place);
      },
    ],
    expire: [2, async ({ world }) => expireItems(world, 0.5)],
    signIn: [
      2,
      async ({ world, chance }) => {
        const id = chance.integer(50, 54);
        const unknown = { first_name: undefined, last_name: undefined };
        const account = { sub: subOf(id), accountName: `new${id}`, username: `new${id}`, ...unknown };
        const person = { ...account, email: `same-${id % 3}@example.com`, isVerified: true, isInvited: false };
        const run = world.invoke("sign-in", { lifetime: 5000 }, (mount) =>
          signIn(mount.table(mount.deadline(4000)), person, { now: mount.now(), isGone: async () => false }),
        );
        await world.busy(run).catch((error: Error) => {
          if (!(error instanceof Crashed) && !["Problem", "UnprovenAccount"].includes(error.name)) throw error;
        });
      },
    ],
  },
};
