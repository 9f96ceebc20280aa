import { useMemo, useState } from "preact/hooks";
import type { Series, Stats } from "../data/odis.ts";
import { type ConsoleRight, useRights } from "../data/rights.ts";
import { useLoad } from "../data/use-load.ts";
import { numberOf, roundMoneyOf } from "../format.ts";
import { Card } from "../parts/page.tsx";
import { Plot } from "../parts/plot.tsx";
import { Loaded } from "../parts/states.tsx";
import { linkTo } from "../router.ts";
import { useOdis } from "../session.tsx";
import { linkToMovements } from "./movements.tsx";

type Metric = Series["metric"];
type Interval = Series["interval"];

type PlotKind = {
  readonly title: string;
  readonly metric: Metric;
  readonly name: string;
  /** Whether the metric is a total of each period, and not a value at its end. */
  readonly isTotal: boolean;
  /** The right that it takes to see the records that are counted, and the path of their page. */
  readonly behind: { readonly right: ConsoleRight; readonly path: string; readonly filters: Record<string, string> };
};

const plots: readonly PlotKind[] = [
  {
    title: "Members with access",
    metric: "members",
    name: "Members",
    isTotal: false,
    behind: { right: "members_read", path: "members", filters: { group: "access" } },
  },
  {
    title: "Payments received",
    metric: "gross",
    name: "Received",
    isTotal: true,
    behind: { right: "activity_read", path: "payments", filters: { type: "payment" } },
  },
];
const spans: Readonly<Record<Interval, { readonly text: string; readonly count: number; readonly days: number }>> = {
  day: { text: "30 days", count: 30, days: 1 },
  week: { text: "12 weeks", count: 12, days: 7 },
  month: { text: "12 months", count: 12, days: 31 },
};

/** Plots of the members and of the payments over time, compared with the time before. */
export function Plots({ communityId }: { readonly communityId: number }) {
  const [interval, setInterval] = useState<Interval>("day");
  return (
    <section aria-labelledby="over-time" class="over-time">
      <header class="card-header">
        <h2 id="over-time">Over time</h2>
        <label class="inline-choice">
          <span>Show the last</span>
          <select value={interval} onChange={({ currentTarget }) => setInterval(currentTarget.value as Interval)}>
            {Object.entries(spans).map(([value, { text }]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
      </header>
      <div class="columns even">
        {plots.map((plot) => (
          <SeriesPlot key={plot.metric} plot={plot} communityId={communityId} interval={interval} />
        ))}
      </div>
    </section>
  );
}

type SeriesPlotProps = { readonly plot: PlotKind; readonly communityId: number; readonly interval: Interval };

function SeriesPlot({ plot: { title, metric, name, isTotal, behind }, communityId, interval }: SeriesPlotProps) {
  const odis = useOdis();
  const may = useRights(communityId);
  const { count, days, text } = spans[interval];
  const load = useLoad(
    (signal) => {
      // Reads a few periods too many, because months differ in length.
      const from = new Date(Date.now() - 2 * count * days * 86_400_000).toISOString().slice(0, 10);
      return odis.get("/odis/v1/communities/{community_id}/stats/series", {
        params: { path: { community_id: communityId }, query: { metric, interval, from } },
        signal,
      });
    },
    [communityId, interval],
  );
  const [shown, before] = useMemo(() => {
    const { data } = load;
    return data ? [data.points.slice(-count), data.points.slice(-2 * count, -count)] : [[], []];
  }, [load.data]);
  const named = useMemo(() => {
    if (!load.data) return [];
    const earlier = shown.map(({ at }, n) => ({ at, value: before[n]?.value ?? 0 }));
    return [
      { name, series: { ...load.data, points: shown }, isTotal },
      ...(isTotal ? [] : [{ name: `${text} before`, series: { ...load.data, points: earlier } }]),
    ];
  }, [load.data]);
  const valueOf = (points: Series["points"]): number =>
    isTotal ? points.reduce((sum, { value }) => sum + value, 0) : (points.at(-1)?.value ?? 0);
  const format = isTotal ? roundMoneyOf : numberOf;
  const [now, then] = [valueOf(shown), valueOf(before)];
  const from = isTotal ? shown[0]?.at.slice(0, 10) : undefined;
  const link = linkTo(["communities", communityId, behind.path], { ...behind.filters, from });
  const less = isTotal ? "less" : "fewer";
  const change = now === then ? "The same as" : `${format(Math.abs(now - then))} ${now > then ? "more" : less} than`;
  return (
    <Card title={title}>
      <Loaded what="the plot" of={load} lines={5}>
        {() => (
          <>
            <p>
              <span class="figure-value">{may(behind.right) ? <a href={link}>{format(now)}</a> : format(now)}</span>{" "}
              <span class="muted">
                {isTotal ? `in ${text}, before refunds. ` : ""}
                {change} {isTotal ? `the ${text} before` : `${text} ago`}
              </span>
            </p>
            <Plot of={named} />
          </>
        )}
      </Loaded>
    </Card>
  );
}

type MovementsProps = { readonly communityId: number; readonly movements: Stats["movements_30d"] };

const movementRows = [
  ["new", "New members", "+"],
  ["reactivated", "Came back", "+"],
  ["expansion", "Pay more", "+"],
  ["contraction", "Pay less", "−"],
  ["churned", "Left", "−"],
] as const;

/** The movements that led to the current monthly revenue, each with a link to the members behind it for those who may see them. */
export function Movements({ communityId, movements: { start_cents, end_cents, ...movements } }: MovementsProps) {
  const may = useRights(communityId);
  const from = new Date(Date.now() - 29 * 86_400_000).toISOString().slice(0, 10);
  return (
    <Card title="Monthly revenue in the last 30 days">
      <table class="movements">
        <tbody>
          <tr>
            <th scope="row">30 days ago</th>
            <td class="number">{roundMoneyOf(start_cents)}</td>
          </tr>
          {movementRows.map(([kind, name, sign]) => {
            const { cents, members } = movements[kind];
            return (
              <tr key={kind}>
                <th scope="row">
                  {members > 0 && may("members_read") ? (
                    <a href={linkToMovements(communityId, { show: kind, from })}>{name}</a>
                  ) : (
                    name
                  )}
                </th>
                <td class="number">{cents === 0 ? roundMoneyOf(0) : `${sign}${roundMoneyOf(Math.abs(cents))}`}</td>
              </tr>
            );
          })}
          <tr class="movements-end">
            <th scope="row">Now</th>
            <td class="number">{roundMoneyOf(end_cents)}</td>
          </tr>
        </tbody>
      </table>
    </Card>
  );
}
