import { messageOf, useSession } from "../session.tsx";
import { useAction } from "../use-request.ts";
import { Notice } from "./notice.tsx";

type Props = { readonly communityId: number; readonly returnTo: string };

/** Leads to the billing portal, where a person changes the card or the address. */
export function ManageButton({ communityId, returnTo }: Props) {
  const { odis } = useSession();
  const { isRunning, error, run } = useAction(async () => {
    const { url } = await odis.post("/odis/v1/communities/{community_id}/billing_portal_sessions", {
      params: { path: { community_id: communityId } },
      body: { return_url: location.origin + returnTo },
    });
    location.assign(url);
  });
  return (
    <>
      <button type="button" class="button quiet" disabled={isRunning} aria-busy={isRunning} onClick={() => void run()}>
        Card and address
      </button>
      {error !== undefined && <Notice kind="bad">{messageOf(error)}</Notice>}
    </>
  );
}
