import * as v from "valibot";
import { storedEntries } from "../fields/field.ts";
import { operationFields } from "../fields/operation.ts";

export const Operation = v.object(storedEntries(operationFields));
export type Operation = v.InferOutput<typeof Operation>;
export type Intent = Operation["intent"];

/** The key that makes one attempt at an operation the same at Stripe, however often it is sent. */
export const stripeKeyOf = ({ id, intent: { kind }, attempt = 1 }: Pick<Operation, "id" | "intent" | "attempt">) =>
  `${kind}-${id}-${attempt}`;
