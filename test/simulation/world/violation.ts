/** Something that must hold and does not. */
export type Violation = { readonly invariant: string; readonly text: string };
