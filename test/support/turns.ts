import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/** Chooses the next call: returns the index of one of the waiting calls. */
type Order = (waiting: number) => number;

/**
 * Makes several clients of one table take turns, so that a test controls how the calls of concurrent runs interleave: a call
 * waits until every unfinished run has a waiting call, and no call is in progress.
 */
export function inTurns(clients: readonly DynamoDBDocumentClient[]) {
  let waiting: { readonly place: number; readonly go: () => void }[] = [];
  let running = new Set<number>();
  let isBusy = false;
  let order: Order = () => 0;

  const next = () => {
    const isReady = [...running].every((place) => waiting.some((call) => call.place === place));
    if (isBusy || !isReady || waiting.length === 0) return;
    const [chosen] = waiting.splice(order(waiting.length), 1);
    isBusy = true;
    chosen?.go();
  };

  for (const [place, client] of clients.entries())
    client.middlewareStack.add(
      (send) => async (args) => {
        await new Promise<void>((go) => {
          waiting.push({ place, go });
          next();
        });
        try {
          return await send(args);
        } finally {
          isBusy = false;
          next();
        }
      },
      { step: "initialize" },
    );

  /**
   * Starts all runs concurrently, each with the client of the same index. `whoseTurn` decides the order of their calls.
   */
  return <T>(whoseTurn: Order, runs: readonly (() => Promise<T>)[]): Promise<T[]> => {
    [waiting, running, isBusy, order] = [[], new Set(runs.keys()), false, whoseTurn];
    return Promise.all(
      runs.map((run, place) =>
        run().finally(() => {
          running.delete(place);
          next();
        }),
      ),
    );
  };
}
