import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

const name = "before-write";
const isWrite = /^(Put|Update|Delete|TransactWrite)/;

/**
 * Runs work with a concurrent writer: `meanwhile` runs once, right before the first write of the work. The writes of
 * `meanwhile` are not intercepted.
 */
export async function beforeWrite<T>(
  client: DynamoDBDocumentClient,
  meanwhile: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  let isDone = false;
  client.middlewareStack.add(
    (next, { commandName = "" }) =>
      async (args) => {
        if (!isDone && isWrite.test(commandName)) {
          isDone = true;
          await meanwhile();
        }
        return next(args);
      },
    { step: "initialize", name },
  );
  try {
    const result = await work();
    if (!isDone) throw new Error("The work has written nothing");
    return result;
  } finally {
    client.middlewareStack.remove(name);
  }
}
