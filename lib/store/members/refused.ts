import type { IssueCode } from "../../problem.ts";

/** The record cannot be imported. `pointer` is the path of the invalid field. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly pointer: string;
  readonly code: IssueCode;

  constructor(pointer: string, code: IssueCode, message: string) {
    super(message);
    this.pointer = pointer;
    this.code = code;
  }
}
