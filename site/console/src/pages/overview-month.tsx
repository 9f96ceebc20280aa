import type { ComponentChildren } from "preact";
import type { Series } from "../data/odis.ts";
import { useLoad } from "../data/use-load.ts";
import { monthOf, numberOf, roundMoneyOf } from "../format.ts";
import { Loaded } from "../parts/states.tsx";
import { useOdis } from "../session.tsx";

const metrics = ["gross", "joined", "left", "refunded"] as const;

/** Names of the links behind the numbers. Undefined for those who may not see members. */
type Links = {
  readonly received: string | undefined;
  readonly joined: string | undefined;
  readonly left: string | undefined;
};
type Props = { readonly communityId: number; readonly links: Links };

/** The current month in a sentence, with the month before and how the numbers are counted. */
export function Month({ communityId, links }: Props) {
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
              {now.name} so far: <Count href={links.received}>{now.received} in</Count>,{" "}
              <Count href={links.joined}>{now.joined} joined</Count>, <Count href={links.left}>{now.left} left</Count>.
            </p>
            <details>
              <summary>How this is counted</summary>
              <ul class="month-notes">
                <li>
                  In {before.name}: {before.received} in, {before.joined} joined, {before.left} left.
                </li>
                <li>In: all payments since the first of the month. {now.refunded} of refunds are not deducted.</li>
                <li>
                  Joined: each time that somebody got access, also again. The link shows the newest members first.
                </li>
                <li>Left: each time that somebody lost access, also by a block. The link shows all without access.</li>
                <li>Months begin and end in UTC. The numbers can be a minute old.</li>
              </ul>
            </details>
          </section>
        );
      }}
    </Loaded>
  );
}

function Count({ href, children }: { readonly href: string | undefined; readonly children: ComponentChildren }) {
  return href === undefined ? <b>{children}</b> : <a href={href}>{children}</a>;
}

/** The numbers of a month of the series, as texts. */
function monthIn(series: readonly Series[], n: number) {
  const value = (metric: Series["metric"]) => series.find((one) => one.metric === metric)?.points[n]?.value ?? 0;
  return {
    name: monthOf(series[0]?.points[n]?.at ?? new Date().toISOString()),
    received: roundMoneyOf(value("gross")),
    refunded: roundMoneyOf(value("refunded")),
    joined: numberOf(value("joined")),
    left: numberOf(value("left")),
  };
}
