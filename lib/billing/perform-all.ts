/**
 * Performs one task after another, also those after one that has failed.
 *
 * @throws the first error
 */
export async function performAll<T>(items: readonly T[], perform: (item: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) await perform(item).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
