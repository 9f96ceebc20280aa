import type { ComponentChildren } from "preact";
import type { Series } from "../data/odis.ts";
import { useRights } from "../data/rights.ts";
import { useLoad } from "../data/use-load.ts";
import { monthOf, numberOf, roundMoneyOf } from "../format.ts";
import { Loaded } from "../parts/states.tsx";
import { linkTo } from "../router.ts";
import { useOdis } from "../session.tsx";
import { linkToMovements } from "./movements.tsx";

const metrics = ["gross", "joined", "left", "refunded"] as const;

type Props = { readonly communityId: number };

/** The current month in a sentence, with the month before and how the numbers are counted. */
export function Month({ communityId }: Props) {
  const odis = useOdis();
  const load = useLoad(
    (signal) => {
      const now = new Date();
      const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1)).toISOString().slice(0, 10);
      return Promise.all(
        metrics.map((metric) =>
          odis.get("/odis/v1/communities/{community_id}/stats/series", {
            params: { path: { community_id: communityId }, query: { metric, interval: "month", from } },
            signal,
          }),
        ),
      );
    },
    [communityId],
  );
  return (
    <Loaded what="the month" of={load} lines={2}>
      {(series) => {
        const [before, now] = [monthIn(series, 0), monthIn(series, 1)];
        return (
          <section class="month" aria-label="This month">
            <p class="month-sentence">
              {now.name} so far: <Counts communityId={communityId} of={now} />.
            </p>
            <p class="muted">
              In {before.name}: <Counts communityId={communityId} of={before} />.
            </p>
            <details>
              <summary>How this is counted</summary>
              <ul class="month-notes">
                <li>In: all payments since the first of the month. {now.refunded} of refunds are not deducted.</li>
                <li>Joined: each time that somebody got access, also again.</li>
                <li>Left: each time that somebody lost access, also by a block.</li>
                <li>Months begin and end in UTC. The numbers can be a minute old. The lists behind them are not.</li>
              </ul>
            </details>
          </section>
        );
      }}
    </Loaded>
  );
}

type CountsProps = { readonly communityId: number; readonly of: ReturnType<typeof monthIn> };

/** The numbers of a month, each with a link to what was counted for those who may see it. */
function Counts({ communityId, of: { from, to, received, joined, left } }: CountsProps) {
  const may = useRights(communityId);
  const paymentsLink = may("activity_read")
    ? linkTo(["communities", communityId, "payments"], { type: "payment", from })
    : undefined;
  const linkToThose = (show: "joined" | "left") =>
    may("members_read") ? linkToMovements(communityId, { show, from, to }) : undefined;
  return (
    <>
      <Count href={paymentsLink}>{received} in</Count>, <Count href={linkToThose("joined")}>{joined} joined</Count>,{" "}
      <Count href={linkToThose("left")}>{left} left</Count>
    </>
  );
}

function Count({ href, children }: { readonly href: string | undefined; readonly children: ComponentChildren }) {
  return href === undefined ? <b>{children}</b> : <a href={href}>{children}</a>;
}

/** The numbers of a month of the series, as texts, with its first and last day. */
function monthIn(series: readonly Series[], n: number) {
  const from = series[0]?.points[n]?.at ?? new Date().toISOString().slice(0, 10);
  const [year = 0, month] = from.split("-").map(Number);
  const value = (metric: Series["metric"]) => series.find((one) => one.metric === metric)?.points[n]?.value ?? 0;
  return {
    from,
    to: new Date(Date.UTC(year, month ?? 1, 0)).toISOString().slice(0, 10),
    name: monthOf(from),
    received: roundMoneyOf(value("gross")),
    refunded: roundMoneyOf(value("refunded")),
    joined: numberOf(value("joined")),
    left: numberOf(value("left")),
  };
}
