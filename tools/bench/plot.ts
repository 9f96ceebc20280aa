type Line = { readonly name: string; readonly points: readonly (readonly [x: number, y: number])[] };

const [width, height] = [640, 360];
const margin = { left: 56, right: 96, top: 20, bottom: 48 };
const colors = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"];

/** Plots lines on two logarithmic axes as an SVG for light and dark backgrounds. A dashed line shows linear growth. */
export function plotOf(lines: readonly Line[], labels: { readonly x: string; readonly y: string }): string {
  const allPoints = lines.flatMap(({ points }) => points);
  const x = axis(
    allPoints.map(([value]) => value),
    [margin.left, width - margin.right],
  );
  const y = axis([1, ...allPoints.map(([, value]) => value)], [height - margin.bottom, margin.top]);
  const path = (points: Line["points"]) => points.map(([px, py]) => `${x.at(px)},${y.at(py)}`).join(" ");
  const names = spread(lines.map(({ name, points }) => ({ name, at: y.at(points.at(-1)?.[1] ?? 1) })));

  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" fill="#777">
${x.ticks.map((tick) => `<text x="${x.at(tick)}" y="${height - margin.bottom + 18}" text-anchor="middle">${tick.toLocaleString("en")}</text>`).join("\n")}
${y.ticks.map((tick) => `<text x="${margin.left - 8}" y="${y.at(tick) + 4}" text-anchor="end">${tick}</text><line x1="${margin.left}" x2="${width - margin.right}" y1="${y.at(tick)}" y2="${y.at(tick)}" stroke="#777" stroke-opacity="0.3"/>`).join("\n")}
<polyline points="${path([
    [x.low, 1],
    [Math.min(x.high, x.low * y.high), Math.min(y.high, x.high / x.low)],
  ])}" fill="none" stroke="#777" stroke-dasharray="4"/>
${lines.map(({ points }, n) => `<polyline points="${path(points)}" fill="none" stroke="${colors[n]}" stroke-width="2"/>`).join("\n")}
${names.map(({ name, at }, n) => `<text x="${width - margin.right + 8}" y="${at + 4}" fill="${colors[n]}">${name}</text>`).join("\n")}
<text x="${(margin.left + width - margin.right) / 2}" y="${height - 10}" text-anchor="middle">${labels.x} (dashed: linear growth)</text>
<text transform="translate(14 ${height / 2}) rotate(-90)" text-anchor="middle">${labels.y}</text>
</svg>
`;
}

/** An axis from the power of ten below the values to the one above. */
function axis(values: readonly number[], [from, to]: readonly [number, number]) {
  const first = Math.floor(Math.log10(Math.min(...values)));
  const last = Math.max(first + 1, Math.ceil(Math.log10(Math.max(...values))));
  return {
    low: 10 ** first,
    high: 10 ** last,
    ticks: Array.from({ length: last - first + 1 }, (_, n) => 10 ** (first + n)),
    at: (value: number) => Math.round(from + ((Math.log10(value) - first) / (last - first)) * (to - from)),
  };
}

/** Moves labels apart that would overlap. */
function spread<T extends { readonly at: number }>(names: readonly T[]): T[] {
  const placed = new Map<T, number>();
  let next = 0;
  for (const name of names.toSorted((a, b) => a.at - b.at)) {
    placed.set(name, Math.max(name.at, next));
    next = (placed.get(name) ?? 0) + 14;
  }
  return names.map((name) => ({ ...name, at: placed.get(name) ?? name.at }));
}
