import { DeleteCommand, PutCommand, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { type Condition, expressions, type Item } from "./expression.ts";
import { attempt, Conflict } from "./failure.ts";
import type { Key } from "./keys.ts";
import { isPersonal } from "./personal.ts";
import type { Write, Writer } from "./table.ts";

/**
 * The time of a write over a record: later than that of the write before, whatever the clocks of their environments
 * say, so that the order of times and of audit entries is the order of writes.
 */
export const timeOver = (record: { readonly updated_at: string } | undefined, ...now: readonly Date[]): Date =>
  new Date(Math.max(...now.map(Number), record ? Date.parse(record.updated_at) + 1 : 0));

/** A write of an erasure, in an item that is marked. `write` does not take it; `sweepItem` takes nothing else. */
export type SweepingWrite = { readonly sweeps: true } & (
  | { readonly update: Key; readonly set: Item; readonly when: Condition }
  | { readonly delete: Key; readonly when?: Condition }
);

/** Writes to an item what an erasure leaves of it. Only the sweep of erasures calls this. Throws like `write`. */
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
 * All or nothing: one write is a single command, several are one transaction. A condition that does not hold throws the
 * `otherwise` of its write, or a `Conflict` where it has none; where writes wait for the answer, it does so once there
 * is one.
 */
export async function write(
  { client, name, runtime, signal, pending, condition, onWrite }: Writer,
  given: readonly Write[],
): Promise<void> {
  if (pending) return void pending.push(...given);
  const writes = condition ? withCondition(given, condition) : given;
  const actions = writes.map((one) => actionOf(name, one));
  const options = signal ? { abortSignal: signal } : {};
  const [{ Put, Update, Delete } = {}, second] = actions;
  const send = (): Promise<unknown> => {
    if (!second && Put) return client.send(new PutCommand(Put), options);
    if (!second && Update) return client.send(new UpdateCommand(Update), options);
    if (!second && Delete) return client.send(new DeleteCommand(Delete), options);
    return client.send(new TransactWriteCommand({ TransactItems: actions }), options);
  };
  await attempt(
    send,
    { runtime, signal },
    (index) => writes[index]?.otherwise ?? new Conflict("A condition does not hold"),
  );
  onWrite?.();
}

/** DynamoDB takes one write of an item in a transaction, so the condition becomes part of one that is there. */
function withCondition(writes: readonly Write[], { check, is }: NonNullable<Writer["condition"]>): readonly Write[] {
  const index = writes.findIndex((one) => keyOf(one).pk === check.pk && keyOf(one).sk === check.sk);
  const found = writes[index];
  if (!found) return [...writes, { check, when: { is } }];
  const { when = "exists" } = found;
  if (when === "absent" || (when !== "exists" && ("anyOf" in when || "unless" in when)))
    throw new Error("This write cannot carry another condition");
  const both = { ...found, when: when === "exists" ? { is } : { ...when, is: { ...is, ...when.is } } };
  return writes.with(index, both as Write);
}

type Action = NonNullable<ConstructorParameters<typeof TransactWriteCommand>[0]["TransactItems"]>[number];

function actionOf(TableName: string, one: Write | SweepingWrite): Action {
  const text = expressions();
  const ConditionExpression = conditionOf(one, text);
  const condition = ConditionExpression === undefined ? {} : { ConditionExpression };
  if ("put" in one) return { Put: { TableName, Item: one.put, ...condition, ...text.placeholders() } };
  const Key = keyOf(one);
  if ("delete" in one) return { Delete: { TableName, Key, ...condition, ...text.placeholders() } };
  if ("check" in one) {
    return { ConditionCheck: { TableName, Key, ConditionExpression, ...text.placeholders() } };
  }
  const UpdateExpression = text.update(one.set ?? {}, "add" in one ? one.add : undefined);
  return { Update: { TableName, Key, UpdateExpression, ...condition, ...text.placeholders() } };
}

function conditionOf(one: Write | SweepingWrite, text: ReturnType<typeof expressions>): string | undefined {
  const asked = one.when && text.condition(one.when);
  const set = "put" in one ? one.put : "update" in one ? one.set : undefined;
  // An item that is absent has no mark.
  if (one.sweeps || one.when === "absent" || !set || !isPersonal(keyOf(one), set)) return asked;
  const unmarked = text.equal({ erased_at: undefined });
  return asked === undefined ? unmarked : `(${asked}) AND ${unmarked}`;
}

/** The item that a write is about. */
export function keyOf(one: Write | SweepingWrite): Key {
  const { pk, sk } = "put" in one ? one.put : "update" in one ? one.update : "delete" in one ? one.delete : one.check;
  return { pk, sk };
}
