import type { ComponentChildren } from "preact";
import { useClub } from "./context.ts";
import { Action } from "./parts.tsx";
import { returnUrl } from "./redirect.ts";

/** A button that opens Stripe's billing portal, which returns to the account. */
export function Portal({ children }: { readonly children: ComponentChildren }) {
  const { odis, community } = useClub();
  const params = { path: { community_id: community.id } };
  const open = async (): Promise<void> => {
    const body = { return_url: returnUrl(community.id, "account") };
    const { url } = await odis.post("/odis/v1/communities/{community_id}/billing_portal_sessions", { params, body });
    location.assign(url);
  };
  return (
    <Action class="quiet" onClick={open}>
      {children}
    </Action>
  );
}
