/** Returns the promise, which may be awaited later or never. An unawaited rejection then does not end the process. */
export function ignoreRejection<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
