/** A violated invariant. */
export type Violation = { readonly invariant: string; readonly text: string };
