import type uPlot from "uplot";
import type { Series } from "../data/odis.ts";
import { languages, numberOf, roundMoneyOf } from "../format.ts";
import { aroundBars } from "./bar-range.ts";

export type Named = {
  readonly name: string;
  readonly series: Series;
  /** Whether it is drawn as bars: totals, which have no values between two points. */
  readonly isTotal?: boolean;
};
const formats = {
  day: { day: "numeric", month: "short", timeZone: "UTC" },
  week: { day: "numeric", month: "short", timeZone: "UTC" },
  month: { month: "short", year: "2-digit", timeZone: "UTC" },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

/** Labels of the intervals. */
export const periodNames = { day: "Day", week: "Week from", month: "Month" } as const;
/** The format of an interval's start. */
export const periodOf = (interval: Series["interval"]) => new Intl.DateTimeFormat(languages, formats[interval]);

/** Height of a drawing without its legend, in pixels. */
export const height = 180;
/** Distances of the lines behind a drawing: whole members or dollars. */
const steps = Array.from({ length: 8 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat();
/** Formats a value of a series. */
export const textOf = (unit: Series["unit"]) => (unit === "cents" ? roundMoneyOf : numberOf);

/** Describes the drawing with a sentence per series. */
export const summaryOf = (of: readonly Named[]): string =>
  of
    .map(({ name, series: { points, unit } }) => {
      const [start, end] = [points[0]?.value ?? 0, points.at(-1)?.value ?? 0];
      return `${name}: ${textOf(unit)(start)} at the start, ${textOf(unit)(end)} at the end.`;
    })
    .join(" ");

/** The values of series in the format of uPlot. */
export function dataOf(of: readonly Named[]): uPlot.AlignedData {
  const times = (of[0]?.series.points ?? []).map(({ at }) => Date.parse(at) / 1000);
  return [times, ...of.map(({ series }) => series.points.map(({ value }) => value))];
}

/** The options of uPlot for series in an element. */
export function optionsOf(
  of: readonly Named[],
  place: HTMLElement,
  { bars }: uPlot.Series.PathBuilderFactories,
): uPlot.Options {
  const { unit = "members", interval = "day" } = of[0]?.series ?? {};
  // The drawing takes its colors from the styles, in which they follow the color scheme.
  const colors = getComputedStyle(place);
  const [ink, lines] = [colors.color, colors.borderBlockColor];
  const strokes = [colors.caretColor, colors.outlineColor];
  const period = periodOf(interval);
  const text = textOf(unit);
  const scale = unit === "cents" ? 100 : 1;
  const compact = new Intl.NumberFormat(languages, {
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
    scales: {
      x: {
        time: true,
        ...(of[0]?.isTotal && { range: (_, first, last) => aroundBars(first, last, of[0]?.series.points.length ?? 0) }),
      },
      y: { range: (_, least, most) => [Math.min(0, least), most <= 0 ? 10 * scale : most * 1.1] },
    },
    axes: [
      { ...axis, space: 70, size: 30, gap: 8, grid: { show: false }, values: (_, splits) => splits.map(dateOf) },
      {
        ...axis,
        size: 56,
        incrs: steps.map((step) => step * scale),
        values: (_, splits) => splits.map((value) => compact.format(value / scale)),
      },
    ],
    series: [
      // Without a pointer, the legend shows the last values.
      { label: periodNames[interval], value: ({ data: [times] }, seconds) => dateOf(seconds ?? times.at(-1) ?? 0) },
      ...of.map(({ name, series: { points }, isTotal }, n) => ({
        label: name,
        stroke: strokes[n] ?? ink,
        width: n === 0 ? 2 : 1,
        ...(n > 0 && { dash: [4, 4] }),
        ...(n === 0 && { fill: `color-mix(in srgb, ${strokes[0]} ${isTotal ? 60 : 12}%, transparent)` }),
        ...(isTotal && bars && { paths: bars({ size: [0.7, 40] }), width: 0 }),
        points: { show: false },
        value: (_: uPlot, value: number | null) => text(value ?? points.at(-1)?.value ?? 0),
      })),
    ],
  };
}
