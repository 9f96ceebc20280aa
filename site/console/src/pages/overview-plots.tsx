import { useMemo, useState } from "preact/hooks";
import type { Series, Stats } from "../data/odis.ts";
import { useLoad } from "../data/use-load.ts";
import { countOf, roundMoneyOf } from "../format.ts";
import { Card } from "../parts/page.tsx";
import { Plot } from "../parts/plot.tsx";
import { Loaded } from "../parts/states.tsx";
import { useOdis } from "../session.tsx";

type Metric = Series["metric"];
type Interval = Series["interval"];

const plots: readonly { readonly title: string; readonly metrics: Readonly<Partial<Record<Metric, string>>> }[] = [
  { title: "Members over time", metrics: { members: "Members with access" } },
  { title: "Monthly revenue over time", metrics: { mrr: "Monthly revenue" } },
  { title: "Joined and left", metrics: { joined: "Joined", left: "Left" } },
  { title: "Payments and refunds", metrics: { gross: "Paid", refunded: "Refunded" } },
];
const spans: Readonly<Record<Interval, string>> = { day: "30 days", week: "12 weeks", month: "12 months" };

/** Plots of the figures over time. */
export function Plots({ communityId }: { readonly communityId: number }) {
  const [interval, setInterval] = useState<Interval>("day");
  return (
    <section aria-labelledby="over-time" class="over-time">
      <header class="card-header">
        <h2 id="over-time">Over time</h2>
        <label class="inline-choice">
          <span>Show the last</span>
          <select value={interval} onChange={({ currentTarget }) => setInterval(currentTarget.value as Interval)}>
            {Object.entries(spans).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
      </header>
      <div class="columns even">
        {plots.map(({ title, metrics }) => (
          <SeriesPlot key={title} title={title} metrics={metrics} communityId={communityId} interval={interval} />
        ))}
      </div>
    </section>
  );
}

type SeriesPlotProps = (typeof plots)[number] & { readonly communityId: number; readonly interval: Interval };

function SeriesPlot({ title, metrics, communityId, interval }: SeriesPlotProps) {
  const odis = useOdis();
  const load = useLoad(
    (signal) =>
      Promise.all(
        (Object.keys(metrics) as Metric[]).map((metric) =>
          odis.get("/odis/v1/communities/{community_id}/stats/series", {
            params: { path: { community_id: communityId }, query: { metric, interval } },
            signal,
          }),
        ),
      ),
    [communityId, interval],
  );
  const named = useMemo(
    () => load.data?.map((series) => ({ name: metrics[series.metric] ?? series.metric, series })) ?? [],
    [load.data],
  );
  return (
    <Card title={title}>
      <Loaded what="the plot" of={load} lines={5}>
        {() => <Plot of={named} />}
      </Loaded>
    </Card>
  );
}

/** The movements that led to the current monthly revenue. */
export function Movements({
  movements: { start_cents, end_cents, ...movements },
}: {
  movements: Stats["movements_30d"];
}) {
  const { new: joined, reactivated, expansion, contraction, churned } = movements;
  const rows = [
    ["New members", joined, "+"],
    ["Came back", reactivated, "+"],
    ["Pay more", expansion, "+"],
    ["Pay less", contraction, "−"],
    ["Left", churned, "−"],
  ] as const;
  return (
    <Card title="Monthly revenue in the last 30 days">
      <table class="movements">
        <tbody>
          <tr>
            <th scope="row">30 days ago</th>
            <td />
            <td class="number">{roundMoneyOf(start_cents)}</td>
          </tr>
          {rows.map(([name, { cents, members }, sign]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="muted number">{countOf(members, "member")}</td>
              <td class="number">{cents === 0 ? roundMoneyOf(0) : `${sign}${roundMoneyOf(Math.abs(cents))}`}</td>
            </tr>
          ))}
          <tr class="movements-end">
            <th scope="row">Now</th>
            <td />
            <td class="number">{roundMoneyOf(end_cents)}</td>
          </tr>
        </tbody>
      </table>
    </Card>
  );
}
