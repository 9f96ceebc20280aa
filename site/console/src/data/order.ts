export type Placed = { readonly id: number; readonly position: number };

/**
 * The positions to write so that a record moves one place up or down. Records that share a position, or whose position
 * stays the same, are handled too.
 *
 * @param records in their order
 */
export function movedPositions<T extends Placed>(records: readonly T[], moved: T, by: -1 | 1): ReadonlyMap<T, number> {
  const from = records.indexOf(moved);
  const to = from + by;
  const other = records[to];
  if (from === -1 || other === undefined) return new Map();
  const order = records.with(from, other).with(to, moved);
  const positions = records.map(({ position }) => position);
  const isStrict = positions.every((position, n) => n === 0 || position > (positions[n - 1] ?? 0));
  const wanted = isStrict ? positions : positions.map((_, n) => n + 1);
  return new Map(
    order.flatMap((record, n) => {
      const position = wanted[n] ?? n + 1;
      return record.position === position ? [] : [[record, position] as const];
    }),
  );
}
