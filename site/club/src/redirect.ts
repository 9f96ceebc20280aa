/** Where Stripe's pages return to: after a payment, from the billing portal, or from the payment of a change. */
type Return = "joined" | "account" | "changed";

/** When to look, after a return, for what was changed in the billing portal or paid, in milliseconds. */
export const delays = [1000, 2500, 5000, 10_000, 20_000] as const;

const parameter = "odis-club";

/** Address of this page, for a return to the club of a community. */
export function returnUrl(communityId: number, to: Return): string {
  const url = new URL(location.href);
  url.searchParams.set(parameter, `${to}-${communityId}`);
  return url.href;
}

/** Whether the page was opened by such a return. */
export const isReturn = (communityId: number, to: Return): boolean =>
  new URLSearchParams(location.search).get(parameter) === `${to}-${communityId}`;

/** Removes the return from the address of the page, because a bookmark is not a return. */
export function forgetReturn(): void {
  const url = new URL(location.href);
  url.searchParams.delete(parameter);
  history.replaceState(history.state, "", url);
}
