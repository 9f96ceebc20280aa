import { useLoad } from "../data/use-load.ts";
import { Loaded } from "../parts/states.tsx";

/** The page that imports members. Loaded on demand, because it has a copy of the checks of the API. */
export function ImportMembersPage({ communityId }: { readonly communityId: number }) {
  const page = useLoad(() => import("./import.tsx"), []);
  return (
    <Loaded what="the page" of={page}>
      {({ ImportPage }) => <ImportPage communityId={communityId} />}
    </Loaded>
  );
}
