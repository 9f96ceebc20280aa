import { useEffect, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import { dataOf, height, type Named, optionsOf, periodNames, periodOf, summaryOf, textOf } from "./plot-drawing.ts";

type Props = {
  /** One series, or two with the same periods and unit. */
  readonly of: readonly Named[];
};

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
      // Loaded on demand, because only the overview needs the library.
      const { default: Draw } = await import("uplot");
      if (isGone) return;
      plot = new Draw(optionsOf(of, place, Draw.paths), dataOf(of), place);
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
  const period = periodOf(interval);
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
                <th scope="col">{periodNames[interval]}</th>
                {of.map(({ name }) => (
                  <th key={name} scope="col" class="number">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {/* The newest values first. */}
              {points.toReversed().map(({ at }, n) => (
                <tr key={at}>
                  <th scope="row">{period.format(new Date(at))}</th>
                  {of.map(({ name, series }) => (
                    <td key={name} class="number">
                      {text(series.points.at(-1 - n)?.value ?? 0)}
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
