/** Works through values, a bounded number of them at once. Each value is begun in order. */
export async function inParallel<T>(
  values: Iterable<T>,
  concurrency: number,
  work: (value: T) => Promise<void>,
): Promise<void> {
  const left = values[Symbol.iterator]();
  const workNext = async () => {
    for (let next = left.next(); !next.done; next = left.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: concurrency }, workNext));
}
