import { useClub } from "./context.ts";
import { DeleteAccount } from "./delete-account.tsx";
import { OwnMembership } from "./own-membership.tsx";
import { Action } from "./parts.tsx";
import { Settings } from "./settings.tsx";
import { SubView } from "./sub-view.tsx";

/** The membership with its receipts, the person's details, and the end of both. */
export function Account() {
  const { session, user, membership, go } = useClub();
  const leave = async (): Promise<void> => {
    go("home");
    await session.signOut();
  };
  return (
    <SubView title="My account">
      {membership && <OwnMembership membership={membership} />}
      <h3>{`${user?.first_name} ${user?.last_name}`.trim() || "You"}</h3>
      <p>
        Signed in as <strong>{user?.email}</strong>
      </p>
      <Settings />
      <DeleteAccount />
      <Action class="quiet" onClick={leave}>
        Sign out
      </Action>
    </SubView>
  );
}
