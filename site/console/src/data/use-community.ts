import { useOdis } from "../session.tsx";
import { useLoad } from "./use-load.ts";

/** A community of the API. */
export function useCommunity(communityId: number) {
  const odis = useOdis();
  return useLoad(
    (signal) => odis.get("/odis/v1/communities/{id}", { params: { path: { id: communityId } }, signal }),
    [communityId],
  );
}
