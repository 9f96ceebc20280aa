import { useRights } from "../data/rights.ts";
import { useTiers } from "../data/use-records.ts";
import { Card } from "../parts/page.tsx";
import { Loaded } from "../parts/states.tsx";
import { linkTo } from "../router.ts";
import { useSession } from "../session.tsx";

/** The first steps of a community without members. */
export function FirstSteps({ communityId }: { readonly communityId: number }) {
  const tiers = useTiers(communityId);
  const may = useRights(communityId);
  const link = (...path: readonly string[]) => linkTo(["communities", communityId, ...path]);
  return (
    <Card title="First steps">
      <ol class="steps">
        <Loaded what="the tiers" of={tiers}>
          {(all) => <TierStep href={link("tiers")} hasTiers={all.some(({ status }) => status === "active")} />}
        </Loaded>
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

function TierStep({ href, hasTiers }: { readonly href: string; readonly hasTiers: boolean }) {
  const { joinUrl } = useSession().deployment;
  const [title, text] = !hasTiers
    ? ["Create a tier", "It has a name and a price, for a month or a year. People can then join."]
    : joinUrl === undefined
      ? ["Check your tiers", "People can subscribe to them in your app."]
      : ["Share the link to join a tier", "Whoever opens the link can subscribe."];
  return (
    <li>
      <a href={href}>{title}</a>
      <p class="muted">{text}</p>
    </li>
  );
}
