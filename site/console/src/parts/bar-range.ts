/** The range of times in which all bars are drawn whole, from the first and the last time and the number of bars. */
export function aroundBars(first: number, last: number, count: number): [number, number] {
  const half = (last - first) / Math.max(1, count - 1) / 2;
  return [first - half, last + half];
}
