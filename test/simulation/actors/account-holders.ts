import { Problem } from "#lib/problem.ts";
import { invite } from "#lib/store/admin-access.ts";
import { handler as listCommunities } from "../../../functions/communities/list.ts";
import { handler as showMe } from "../../../functions/me/show.ts";
import { handler as showMembership } from "../../../functions/membership/show.ts";
import { subOf } from "../../../tools/local/users.ts";
import type { Account, Token } from "../world/user-pool.ts";
import type { Act, Repertoire } from "./act.ts";
import { noteErasure } from "./data-subjects.ts";
import { actLike, admin, type Scene } from "./scene.ts";

const [second, minute, hour] = [1000, 60_000, 3_600_000];

/** Picks an account of the pool: that of the act's subject, or any. */
function anAccount(scene: Scene): Account | undefined {
  const { accounts, issued, living } = scene.world.userPool;
  const subject = scene.subject() && scene.person();
  // The subject is never an admin.
  if (scene.subject() && scene.chance.is(0.1)) return scene.chance.pick(living);
  if (subject === undefined) return scene.chance.pick(living);
  const first = accounts.find(({ sub }) => sub === subOf(subject));
  // The person may have a new account with the address of a deleted one.
  const own =
    issued.findLast(({ userId, account }) => userId === subject && living.includes(account))?.account ??
    living.find(({ sub, email }) => sub === subOf(subject) || email === first?.email);
  return own ?? scene.chance.pick(living);
}

/** In half of the pairs, changes the name in the pool, so that the next sign-in also writes. */
function renameForPair(scene: Scene, account: Account): void {
  if (scene.subject() && scene.chance.is(0.5)) account.given_name = `Given ${scene.name}`;
}

const withAccount =
  (act: (scene: Scene, account: Account) => Promise<unknown>): Act =>
  async (scene) => {
    const account = anAccount(scene);
    if (account) await act(scene, account);
  };

/** Reads the person's own profile and a membership, with a token that may be old. */
async function look(scene: Scene, token: Token | undefined): Promise<void> {
  if (!token) return;
  const id = Number(token.user_id);
  const as = { id, token };
  await actLike("members.showMembership", scene, async () => {
    const me = await scene.send(showMe, { as });
    const membership = await scene.send(showMembership, { as, params: { community_id: scene.community().id } });
    scene.world.userPool.visits.push({ userId: id, me, membership });
  });
}

/** Signs in and later refreshes the session, sometimes at the same moment as requests with the first token. */
async function use(scene: Scene, account: Account): Promise<void> {
  const { chance, world } = scene;
  const delay = (chance.pick([0, second, 40 * minute, 90 * minute]) ?? 0) * chance.next();
  const signedIn = await world.userPool.signIn(account);
  if (!signedIn) return;
  await look(scene, signedIn.token);
  await world.timeline.wait(delay);
  const [refreshed] = await Promise.all([world.userPool.refresh(signedIn.session), look(scene, signedIn.token)]);
  await look(scene, refreshed);
}

/** Picks the address of a deleted account, if possible of the act's subject, of an imported person, or a new one. */
function anAddress(scene: Scene): string {
  const { chance, name, world } = scene;
  const gone = world.userPool.accounts.filter((one) => !world.userPool.living.includes(one));
  const subject = scene.subject() && scene.person();
  const own = gone.find(({ sub }) => subject !== undefined && sub === subOf(subject));
  if (own) return own.email;
  const address = chance.pick([chance.pick(gone)?.email, `same-${chance.integer(0, 2)}@example.com`]);
  return address ?? `${name}@example.com`;
}

/** Creates an account and signs in, in most cases again after a password reset. */
const join: Act = async (scene) => {
  const { chance, world } = scene;
  const account = world.userPool.signUp({ email: anAddress(scene), given_name: `Given ${scene.name}` });
  if (!account) return;
  await world.userPool.confirm(account, "ConfirmSignUp");
  // An import may create a profile with the address before the first sign-in.
  if (!scene.subject() && chance.is(0.5)) await world.timeline.wait(chance.next() * 40 * hour);
  await use(scene, account);
  if (chance.is(0.3)) return;
  await world.userPool.confirm(account, "ConfirmForgotPassword");
  await use(scene, account);
};

/** Erases a person while they sign in and make requests. They continue to do so after the erasure. */
const eraseInUse = withAccount(async (scene, account) => {
  const { chance, world } = scene;
  const signedIn = await world.userPool.signIn(account);
  if (!signedIn) return;
  const { session, token } = signedIn;
  const id = Number(token.user_id);
  const body = { dry_run: false, cancel_subscriptions: chance.is(scene.subject() ? 0.8 : 0.3) };
  const [delay, isOwn] = [chance.next() * 400, chance.is(0.5)];
  const erase = async () => {
    await world.timeline.wait(delay);
    const call = isOwn
      ? scene.call(world.erasing.me, { as: { id, token }, body })
      : scene.call(world.erasing.anybody, { as: admin, params: { id }, body });
    noteErasure(scene, id, await call);
  };
  await Promise.all([erase(), use(scene, account), look(scene, token)]);
  await Promise.all([look(scene, token), look(scene, await world.userPool.refresh(session)), use(scene, account)]);
});

/** The command fails if the person is erased at the same time. */
function ifErased(error: unknown): void {
  if (!(error instanceof Problem && error.code === "invalid_token")) throw error;
}

/** An admin signs in without an authenticator app, adds one, and continues to use that session. */
const becomeAdmin: Act = async (scene) => {
  const { chance, world } = scene;
  const first = world.userPool.living.find(({ sub }) => sub === subOf(admin.id));
  const account = scene.subject() ? anAccount(scene) : first;
  if (!account) return;
  account.groups = ["admin"];
  account.has_totp = chance.is(0.3);
  if (chance.is(0.8)) await invite(world.table, account.sub, world.now).catch(ifErased);
  const signedIn = await world.userPool.signIn(account);
  account.has_totp = chance.is(0.9);
  if (!signedIn) return;
  const manage = async (token: Token | undefined) => {
    if (!token) return;
    await actLike("admins.list", scene, () =>
      scene.send(listCommunities, { as: { id: Number(token.user_id), token } }),
    );
  };
  const comeBack = async () => manage(await world.userPool.refresh(signedIn.session));
  const later = Array.from({ length: 3 }, async () => {
    await world.timeline.wait(chance.next() * 200);
    await comeBack();
  });
  await Promise.all([manage(signedIn.token), comeBack(), ...later]);
  const again = await world.userPool.signIn(account);
  await manage(again?.token);
};

/** People who have an account in the user pool and sign in with it. */
export const accountHolders: Repertoire = {
  weight: 3,
  acts: {
    signIn: [
      5,
      withAccount(async (scene, account) => {
        renameForPair(scene, account);
        await use(scene, account);
      }),
    ],
    join: [5, join],
    setPassword: [
      1,
      withAccount(async (scene, account) => {
        renameForPair(scene, account);
        await scene.world.userPool.confirm(account, "ConfirmForgotPassword");
        await use(scene, account);
      }),
    ],
    rename: [
      6,
      withAccount(async (scene, account) => {
        account.given_name = scene.chance.is(0.3) ? undefined : `Given ${scene.name}`;
        await use(scene, account);
      }),
    ],
    leave: [2, withAccount(async ({ world }, account) => world.userPool.delete(account))],
    eraseInUse: [4, eraseInUse],
    becomeAdmin: [4, becomeAdmin],
  },
};
