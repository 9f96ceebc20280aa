import { setTimeout as wait } from "node:timers/promises";
import { rebuild } from "#lib/projections/rebuild.ts";
import { keys } from "#lib/store/keys.ts";
import { connect, documents } from "#lib/store/table.ts";
import { write } from "#lib/store/write.ts";
import { addProfile, addSeenApp } from "../../tools/local/users.ts";
import { userPool } from "./pool.ts";
import { clientTimeouts } from "./table.ts";

/** The stack that was deployed before the tests. */
export type Deployed = {
  readonly url: string;
  readonly stage: string;
  /** The folder from which the stack was deployed. */
  readonly folder: string;
  /** Additional variables of its functions. */
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

/** Pauses that grow to two seconds, so that a busy machine gets minutes and a fast one does not wait longer than needed. */
function everLonger(): () => Promise<void> {
  let pauses = 0;
  return () => wait(Math.min(2000, 50 * ++pauses));
}

/** The deployed stack, which all test files share. Its users are created in its pool, and sign in there. */
export function joinDeployed({ url, stage, tableName, ...ids }: Deployed) {
  // API keys are made for the stage of the functions.
  process.env.METRICS_NAMESPACE = `odis-${stage}`;
  const client = documents(clientTimeouts);
  const table = connect(client, tableName)();
  const pool = userPool(ids);
  const emails = new Map<number, string>();

  return {
    url,
    table,
    async tokenOf({ id, groups = [] }: { readonly id: number; readonly groups?: readonly string[] }) {
      const user = await pool.addUser({ groups });
      emails.set(id, user.email);
      // Uses the id of the test instead of one that the first sign-in would generate.
      await addProfile(table, { id, username: `user${id}`, first_name: "User", last_name: String(id) });
      await write(table, [{ put: { ...keys.subject(user.sub), user_id: id } }]);
      const { accessToken, refreshToken = "" } = await pool.signIn(user);
      if (!groups.includes("admin")) return accessToken;
      // Added after the sign-in, because the trigger removes it for an account without an app.
      await addSeenApp(table, user.sub);
      await pool.useApp({ accessToken });
      return (await pool.refresh(refreshToken)).accessToken;
    },
    async verifiedAddressOf({ id }: { readonly id: number }) {
      const email = emails.get(id) ?? "";
      await pool.verify({ email });
      return email;
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
