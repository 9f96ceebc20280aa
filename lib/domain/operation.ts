import * as v from "valibot";
import { storedEntries } from "../fields/field.ts";
import { operationFields } from "../fields/operation.ts";

export const Operation = v.object(storedEntries(operationFields));
export type Operation = v.InferOutput<typeof Operation>;
export type Intent = Operation["intent"];

/** Stripe's idempotency key for one attempt at an operation. The same for all retries of the attempt. */
export const stripeKeyOf = ({ id, intent: { kind }, attempt = 1 }: Pick<Operation, "id" | "intent" | "attempt">) =>
  `${kind}-${id}-${attempt}`;
