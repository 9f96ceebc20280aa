/** What an operation of the pool answers; `error` is the name of AWS's exception. */
export type Outcome = { readonly status: 200 | 400; readonly body: object; readonly error?: string };

export const refused = (error: string, message: string): Outcome => ({
  status: 400,
  body: { __type: error, message },
  error,
});
