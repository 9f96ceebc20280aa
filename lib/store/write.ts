import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { newUuid } from "../ids.ts";
import { machine } from "../runtime.ts";
import { type Condition, expressions, type Item } from "./expression.ts";
import { attempt, Conflict } from "./failure.ts";
import type { Key } from "./keys.ts";
import { isPersonal } from "./personal.ts";
import type { Write, Writer } from "./table.ts";

/**
 * The time of an update. Always later than the previous update of the record, even if clocks differ, so that times and
 * audit entries have the order of the writes.
 */
export const timeOver = (record: { readonly updated_at: string } | undefined, ...now: readonly Date[]): Date =>
  new Date(Math.max(...now.map(Number), record ? Date.parse(record.updated_at) + 1 : 0));

/** A write of an erasure to an item that is marked as erased. Only `sweepItem` accepts it. */
export type SweepingWrite = { readonly sweeps: true } & (
  | { readonly update: Key; readonly set: Item; readonly when: Condition }
  | { readonly delete: Key; readonly when?: Condition }
);

/** Removes personal data from an item, or deletes the item, for the sweep of erasures. Throws like `write`. */
export async function sweepItem({ client, name, runtime, signal }: Writer, sweeping: SweepingWrite): Promise<void> {
  const { Update, Delete } = actionOf(name, sweeping);
  const options = signal ? { abortSignal: signal } : {};
  await attempt<unknown>(
    () =>
      Update
        ? client.send(new UpdateCommand(Update), options)
        : client.send(new DeleteCommand(Delete as never), options),
    { runtime, signal },
    () => new Conflict("A condition does not hold"),
  );
}

/**
 * Performs all writes or none: one write as a single command, several as one transaction. If a condition does not hold,
 * throws the `otherwise` of its write, or a `Conflict` if it has none. If the table has `pending` writes, only adds to
 * them: they are performed with the response of the request.
 */
export async function write(
  { client, name, runtime, signal, pending, conditions = [], onWrite }: Writer,
  requested: readonly Write[],
): Promise<void> {
  if (pending) return void pending.push(...requested);
  const writes = conditions.reduce(withCondition, requested);
  const actions = writes.map((item) => actionOf(name, item));
  const options = signal ? { abortSignal: signal } : {};
  const [{ Put, Update, Delete } = {}, second] = actions;
  const transact = transacting(client, actions, options);
  const send = (): Promise<unknown> => {
    if (!second && Put) return client.send(new PutCommand(Put), options);
    if (!second && Update) return client.send(new UpdateCommand(Update), options);
    if (!second && Delete) return client.send(new DeleteCommand(Delete), options);
    return transact();
  };
  await attempt(
    send,
    { runtime, signal },
    (index) => writes[index]?.otherwise ?? new Conflict("A condition does not hold"),
  );
  onWrite?.();
}

/**
 * Adds a condition to a transaction. DynamoDB accepts one action per item: if the transaction already writes the item,
 * the condition is added to that write.
 */
function withCondition(
  writes: readonly Write[],
  { check, is }: NonNullable<Writer["conditions"]>[number],
): readonly Write[] {
  const index = writes.map(keyOf).findIndex(({ pk, sk }) => pk === check.pk && sk === check.sk);
  const sameItem = writes[index];
  if (!sameItem) return [...writes, { check, when: { is } }];
  const { when = "exists" } = sameItem;
  if (when === "absent" || (when !== "exists" && ("anyOf" in when || "unless" in when)))
    throw new Error("This write cannot carry another condition");
  // The error of the write would not tell which of the conditions failed. A `Conflict` decides the request again.
  const { otherwise: _, ...writing } = sameItem;
  const both = { ...writing, when: when === "exists" ? { is } : { ...when, is: { ...is, ...when.is } } };
  return writes.with(index, both as Write);
}

/**
 * Returns a function that sends a transaction, also repeatedly. The SDK would draw a token for each call. After a
 * `TransactionInProgressException`, a call with another token could fail on the items that the first one has written.
 */
function transacting(
  client: DynamoDBDocumentClient,
  TransactItems: Action[],
  options: { readonly abortSignal?: AbortSignal },
): () => Promise<unknown> {
  // Like that of the SDK, the token is random even if the runtime of the table repeats its numbers.
  const newToken = () => newUuid(machine.random);
  let ClientRequestToken = newToken();
  let isInDoubt = false;
  return async () => {
    try {
      return await client.send(new TransactWriteCommand({ TransactItems, ClientRequestToken }), options);
    } catch (error) {
      isInDoubt ||= !(error instanceof Error && error.name === "TransactionCanceledException");
      if (!isInDoubt) ClientRequestToken = newToken();
      throw error;
    }
  };
}

type Action = NonNullable<ConstructorParameters<typeof TransactWriteCommand>[0]["TransactItems"]>[number];

function actionOf(TableName: string, item: Write | SweepingWrite): Action {
  const text = expressions();
  const ConditionExpression = conditionOf(item, text);
  const condition = ConditionExpression === undefined ? {} : { ConditionExpression };
  if ("put" in item) return { Put: { TableName, Item: item.put, ...condition, ...text.placeholders() } };
  const Key = keyOf(item);
  if ("delete" in item) return { Delete: { TableName, Key, ...condition, ...text.placeholders() } };
  if ("check" in item) {
    return { ConditionCheck: { TableName, Key, ConditionExpression, ...text.placeholders() } };
  }
  const UpdateExpression = text.update(item.set ?? {}, "add" in item ? item.add : undefined);
  return { Update: { TableName, Key, UpdateExpression, ...condition, ...text.placeholders() } };
}

function conditionOf(item: Write | SweepingWrite, text: ReturnType<typeof expressions>): string | undefined {
  const condition = item.when && text.condition(item.when);
  const set = "put" in item ? item.put : "update" in item ? item.set : undefined;
  // A missing item cannot be marked as erased.
  if (item.sweeps || item.when === "absent" || !set || !isPersonal(keyOf(item), set)) return condition;
  const unmarked = text.equal({ erased_at: undefined });
  return condition === undefined ? unmarked : `(${condition}) AND ${unmarked}`;
}

/** The key of the item that is written or checked. */
export function keyOf(item: Write | SweepingWrite): Key {
  const { pk, sk } =
    "put" in item ? item.put : "update" in item ? item.update : "delete" in item ? item.delete : item.check;
  return { pk, sk };
}
