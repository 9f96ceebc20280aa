import { useEffect, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import type { Series } from "../data/odis.ts";
import { numberOf, roundMoneyOf } from "../format.ts";

type Named = { readonly name: string; readonly series: Series };
type Props = {
  /** One series, or two with the same periods and unit. */
  readonly of: readonly Named[];
};

const formats = {
  day: { day: "numeric", month: "short", timeZone: "UTC" },
  week: { day: "numeric", month: "short", timeZone: "UTC" },
  month: { month: "short", year: "2-digit", timeZone: "UTC" },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

/** A series over time: a drawing with a legend that shows the values under the pointer, and the values as a table. */
export function Plot({ of }: Props) {
  const element = useRef<HTMLDivElement>(null);
  const [isDark, setIsDark] = useState(() => matchMedia("(prefers-color-scheme: dark)").matches);
  const [first] = of;
  useEffect(() => {
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const update = (): void => setIsDark(scheme.matches);
    scheme.addEventListener("change", update);
    return () => scheme.removeEventListener("change", update);
  }, []);
  useEffect(() => {
    const { current: place } = element;
    if (!place || !first) return;
    let plot: uPlot | undefined;
    let isGone = false;
    const resize = new ResizeObserver(([entry]) => {
      if (entry && plot) plot.setSize({ width: entry.contentRect.width, height });
    });
    const draw = async (): Promise<void> => {
      // Only the overview needs it.
      const { default: Draw } = await import("uplot");
      if (isGone) return;
      plot = new Draw(optionsOf(of, place), dataOf(of), place);
      resize.observe(place);
    };
    void draw();
    return () => {
      isGone = true;
      resize.disconnect();
      plot?.destroy();
    };
  }, [of, isDark]);
  if (!first) return null;
  const { unit, interval, points } = first.series;
  const text = textOf(unit);
  const period = new Intl.DateTimeFormat("en-GB", formats[interval]);
  return (
    <div class="plot">
      <div ref={element} class="plot-drawing" role="img" aria-label={summaryOf(of)} />
      <details>
        <summary>Values</summary>
        <div
          class="plot-values"
          role="region"
          aria-label={`Values: ${of.map(({ name }) => name).join(", ")}`}
          tabIndex={0}
        >
          <table>
            <thead>
              <tr>
                <th scope="col">From</th>
                {of.map(({ name }) => (
                  <th key={name} scope="col" class="number">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {points.map(({ at }, n) => (
                <tr key={at}>
                  <th scope="row">{period.format(new Date(at))}</th>
                  {of.map(({ name, series }) => (
                    <td key={name} class="number">
                      {text(series.points[n]?.value ?? 0)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </div>
  );
}

const height = 180;
/** Distances of the lines behind a drawing: whole members or dollars. */
const steps = Array.from({ length: 8 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat();
const textOf = (unit: Series["unit"]) => (unit === "cents" ? roundMoneyOf : numberOf);

/** What the drawing shows, in a sentence for each series. */
const summaryOf = (of: readonly Named[]): string =>
  of
    .map(({ name, series: { points, unit } }) => {
      const [start, end] = [points[0]?.value ?? 0, points.at(-1)?.value ?? 0];
      return `${name}: ${textOf(unit)(start)} at first, ${textOf(unit)(end)} at last.`;
    })
    .join(" ");

function dataOf(of: readonly Named[]): uPlot.AlignedData {
  const times = (of[0]?.series.points ?? []).map(({ at }) => Date.parse(at) / 1000);
  return [times, ...of.map(({ series }) => series.points.map(({ value }) => value))];
}

function optionsOf(of: readonly Named[], place: HTMLElement): uPlot.Options {
  const { unit = "members", interval = "day" } = of[0]?.series ?? {};
  // The drawing takes its colors from the styles, in which they follow the color scheme.
  const colors = getComputedStyle(place);
  const [ink, lines] = [colors.color, colors.borderBlockColor];
  const strokes = [colors.caretColor, colors.outlineColor];
  const period = new Intl.DateTimeFormat("en-GB", formats[interval]);
  const text = textOf(unit);
  const compact = new Intl.NumberFormat("en-US", {
    notation: "compact",
    ...(unit === "cents" && { style: "currency" as const, currency: "USD" }),
  });
  const axis = {
    stroke: ink,
    grid: { stroke: lines, width: 1 },
    ticks: { show: false },
    font: `12px ${colors.fontFamily}`,
  };
  const dateOf = (seconds: number): string => period.format(new Date(seconds * 1000));
  return {
    width: place.clientWidth,
    height,
    padding: [8, 8, 0, 0],
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { x: { time: true }, y: { range: (_, least, most) => [Math.min(0, least), most <= 0 ? 1 : most * 1.1] } },
    axes: [
      { ...axis, space: 70, grid: { show: false }, values: (_, splits) => splits.map(dateOf) },
      {
        ...axis,
        size: 56,
        incrs: steps.map((step) => (unit === "cents" ? step * 100 : step)),
        values: (_, splits) => splits.map((value) => compact.format(unit === "cents" ? value / 100 : value)),
      },
    ],
    series: [
      { label: "From", value: (_, seconds: number | null) => (seconds === null ? "" : dateOf(seconds)) },
      ...of.map(({ name }, n) => ({
        label: name,
        stroke: strokes[n] ?? ink,
        width: 2,
        ...(of.length === 1 && { fill: `color-mix(in srgb, ${strokes[0]} 12%, transparent)` }),
        points: { show: false },
        value: (_: uPlot, value: number | null) => (value === null ? "" : text(value)),
      })),
    ],
  };
}
