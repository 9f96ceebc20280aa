import { setTimeout as wait } from "node:timers/promises";
import { rebuild } from "#lib/projections/rebuild.ts";
import { keys } from "#lib/store/keys.ts";
import { connect, documents } from "#lib/store/table.ts";
import { write } from "#lib/store/write.ts";
import { addProfile, addSeenApp } from "../../tools/local/users.ts";
import { userPool } from "./pool.ts";
import { clientTimeouts } from "./table.ts";

/** Where the stack is that was deployed before the tests. */
export type Deployed = {
  readonly url: string;
  /** Holds what it was deployed from. */
  readonly folder: string;
  /** Variables that its functions have besides those of the stack. */
  readonly variables: Readonly<Record<string, string>>;
  readonly tableName: string;
  readonly userPoolId: string;
  readonly clientId: string;
};

declare module "vitest" {
  interface ProvidedContext {
    readonly deployed: Deployed | undefined;
  }
}

/** Pauses that grow to two seconds: minutes for a busy machine, and no more than needed for another. */
function everLonger(): () => Promise<void> {
  let pauses = 0;
  return () => wait(Math.min(2000, 50 * ++pauses));
}

/** The deployed stack, which all test files share. Its users are made in its own pool, and sign in there. */
export function joinDeployed({ url, tableName, ...ids }: Deployed) {
  const client = documents(clientTimeouts);
  const table = connect(client, tableName)();
  const pool = userPool(ids);

  return {
    url,
    table,
    async tokenOf({ id, groups = [] }: { readonly id: number; readonly groups?: readonly string[] }) {
      const user = await pool.addUser({ groups });
      // The id that the test has for them, where the first sign-in would draw one.
      await addProfile(table, { id, username: `user${id}`, first_name: "User", last_name: String(id) });
      await write(table, [{ put: { ...keys.subject(user.sub), user_id: id } }]);
      const { accessToken, refreshToken = "" } = await pool.signIn(user);
      if (!groups.includes("admin")) return accessToken;
      // Later than the sign-in: the trigger forgets that an app was seen where the account has none.
      await addSeenApp(table, user.sub);
      await pool.useApp(user);
      return (await pool.refresh(refreshToken)).accessToken;
    },
    async settled(communityId: number) {
      const wrong = await rebuild({ table, now: () => new Date(), pause: everLonger(), isDryRun: true }, communityId);
      if (wrong.length > 0) throw new Error(wrong.join("\n"));
    },
    async stop() {
      client.destroy();
      pool.close();
    },
  };
}
