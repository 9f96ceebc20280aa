import { useRights } from "../data/rights.ts";
import { Card } from "../parts/page.tsx";
import { linkTo } from "../router.ts";

type Props = { readonly communityId: number; readonly hasTiers: boolean };

/** The first steps of a community without members. */
export function FirstSteps({ communityId, hasTiers }: Props) {
  const may = useRights(communityId);
  const link = (...path: readonly string[]) => linkTo(["communities", communityId, ...path]);
  return (
    <Card title="First steps">
      <ol class="steps">
        <li>
          <a href={link("tiers")}>{hasTiers ? "Share the link to join a tier" : "Create a tier"}</a>
          <p class="muted">
            {hasTiers
              ? "Whoever opens the link can subscribe."
              : "It has a name and a price, for a month or a year. People can then join."}
          </p>
        </li>
        <li>
          <a href={link("benefits")}>Say what members get</a>
          <p class="muted">A benefit belongs to one or several tiers. Members see it before and after they join.</p>
        </li>
        {may("members_import") && (
          <li>
            <a href={link("members", "import")}>Import the members that you have</a>
            <p class="muted">From a CSV file of another system. They keep access without paying again.</p>
          </li>
        )}
      </ol>
    </Card>
  );
}
