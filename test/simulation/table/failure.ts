import type { Item } from "./attribute-value.ts";

/** The reason why an action canceled a transaction. `None` for the other actions. */
export type CancellationReason = { readonly Code: string; readonly Message?: string; readonly Item?: Item };

type More = { readonly Item?: Item | undefined; readonly CancellationReasons?: readonly CancellationReason[] };

/** An error response of DynamoDB, with the name of its exception. */
export class TableFailure extends Error {
  override readonly name: string;
  readonly more: More;

  constructor(name: string, message: string, more: More = {}) {
    super(message);
    this.name = name;
    this.more = more;
  }
}

export const invalid = (message: string): TableFailure => new TableFailure("ValidationException", message);

/** An invalid value of one of several parameters. */
export const invalidParameter = (message: string): TableFailure =>
  invalid(`One or more parameter values were invalid: ${message}`);

export const noSuchTable = (): TableFailure =>
  new TableFailure("ResourceNotFoundException", "Requested resource not found");

export const conditionFailed = "The conditional request failed";
