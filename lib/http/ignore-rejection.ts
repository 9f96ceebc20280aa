/** The same promise, started now and awaited later, or not at all where another failure comes first. */
export function ignoreRejection<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
