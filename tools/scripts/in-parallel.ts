/** Works through values, a bounded number of them at once. Each value is begun in order. */
export async function inParallel<T>(
  values: Iterable<T> | AsyncIterable<T>,
  concurrency: number,
  work: (value: T) => Promise<void>,
): Promise<void> {
  const left = Symbol.asyncIterator in values ? values[Symbol.asyncIterator]() : values[Symbol.iterator]();
  const workNext = async () => {
    for (let next = await left.next(); !next.done; next = await left.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: concurrency }, workNext));
}
