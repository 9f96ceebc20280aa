import { useRef } from "preact/hooks";
import type { Connection } from "./connection.ts";
import type { AccessChange } from "./context.ts";
import { ignoreMissing } from "./ignore-missing.ts";
import { Loaded } from "./loaded.tsx";
import type { Odis, Tier } from "./odis.ts";
import { Failure, Loading, Title } from "./parts.tsx";
import { useRequest } from "./use-request.ts";

type Props = {
  /** Id or slug of the community. */
  readonly name: string;
  readonly connect: () => Promise<Connection>;
  readonly onAccess: (change: AccessChange) => void;
};

/** Loads a community and its tiers, which need no sign-in. */
export function Club({ name, connect, onAccess }: Props) {
  const { data, error, reload } = useRequest(async (signal) => {
    const connection = await connect();
    return { connection, ...(await communityOf(connection.odis, name, signal)) };
  }, []);
  const root = useRef<HTMLDivElement>(null);
  // A page that has just been loaded keeps its focus where it is.
  const use = () => root.current?.classList.add("used");
  return (
    <div ref={root} class="club" onClickCapture={use}>
      {error !== undefined && <Failure title="The club could not be loaded" error={error} onRetry={reload} />}
      {!data && error === undefined && <Loading label="Loading the club" />}
      {data && !data.community && <Title text="There is no such community" />}
      {data?.community && <Loaded {...data} community={data.community} onAccess={onAccess} />}
    </div>
  );
}

async function communityOf(odis: Odis, name: string, signal: AbortSignal) {
  if (name === "") return { community: undefined, tiers: [] };
  const init = { anonymous: true, signal } as const;
  const community = /^\d+$/.test(name)
    ? await odis
        .get("/odis/v1/communities/{id}", { params: { path: { id: Number(name) } }, ...init })
        .catch(ignoreMissing)
    : (await odis.get("/odis/v1/communities", { params: { query: { slug: name } }, ...init })).data[0];
  const tiers: Tier[] = [];
  if (community) {
    const params = { path: { community_id: community.id } };
    for await (const tier of odis.iterate("/odis/v1/communities/{community_id}/tiers", { params, ...init }))
      tiers.push(tier);
  }
  return { community, tiers };
}
