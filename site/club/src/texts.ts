import type { Membership, OdisProblem, SignInError } from "./odis.ts";

const dollars = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  trailingZeroDisplay: "stripIfInteger",
});
const dates = new Intl.DateTimeFormat("en-US", { day: "numeric", month: "long", year: "numeric" });

export const priceOf = (amount: number): string => (amount === 0 ? "Free" : dollars.format(amount));
export const dateOf = (timestamp: string): string => dates.format(new Date(timestamp));

/** Whether the end of a membership is scheduled. Imported members may have only `cancel_at`. */
export const isEnding = ({ cancel_at, cancel_at_period_end }: Membership): boolean =>
  cancel_at !== null || cancel_at_period_end;

/** Whether a membership is renewed. The period of an imported one is not, and may have passed. */
export const isRenewed = ({ interval, price_cents }: Membership): boolean => interval !== null || price_cents !== null;

/** When a membership ends or is renewed, such as `Renews on July 1, 2027`. Empty if neither is known. */
export function termOf(membership: Membership): string {
  const { cancel_at, current_period_end: periodEnd } = membership;
  const end = cancel_at ?? periodEnd;
  if (!end) return "";
  if (isEnding(membership)) return `Ends on ${dateOf(end)}`;
  if (isRenewed(membership)) return `Renews on ${dateOf(end)}`;
  return hasPassed(end) ? "" : `Paid until ${dateOf(end)}`;
}

/** Whether a time is not in the future. */
export const hasPassed = (timestamp: string): boolean => Date.parse(timestamp) <= Date.now();

/** What to tell a person about an error of the API, of the sign-in, or of the network. */
export function messageOf(error: unknown): string {
  const { code, message } = error as Partial<OdisProblem | SignInError> & Error;
  const reason = code === "NotAuthorizedException" ? /Incorrect|session|exceeded|disabled/.exec(message)?.[0] : code;
  if (code) return messages[reason ?? code] ?? `${message.replace(/\.$/, "")}.`;
  return error instanceof TypeError ? "We could not reach the server. Check your connection and try again." : message;
}

export const ended = "Your session has ended. Sign in again.";
const messages: Readonly<Record<string, string>> = {
  CodeMismatchException: "That code is not right. Check the email, or ask for another code.",
  ExpiredCodeException: "That code has expired. Ask for another one.",
  InvalidPasswordException: "Choose a longer password, with a capital letter, a small letter and a digit.",
  LimitExceededException: "That was a lot at once. Wait a while and try again.",
  UsernameExistsException: "There is an account with this email address already. Sign in instead.",
  PasswordResetRequiredException: "You need a new password. Set it with the code that we have emailed to you.",
  // Cognito refuses sign-ins with one code, NotAuthorizedException. A word of its message is the reason.
  Incorrect: "That password is not right.",
  disabled: "This account is disabled.",
  exceeded: "There were too many attempts. Wait a few minutes and try again.",
  session: "This took too long. Sign in again.",
  expired_token: ended,
  invalid_token: ended,
  member_blocked: "The owner of this community has blocked your membership.",
  no_subscription: "There is no subscription to manage yet.",
  too_many_requests: "That was a lot at once. Wait a moment and try again.",
  unknown_tier: "This tier is no longer offered.",
};

/** What to tell a person about a membership that needs attention. */
export const notices: Readonly<Partial<Record<Membership["access"]["reason"], string>>> = {
  past_due: "Your last payment failed. Update your card to keep your membership.",
  blocked: "The owner of this community has blocked your membership.",
  ended: "Your membership has ended. Join again to come back.",
  unpaid: "An invoice is not paid, or your membership is paused. See “My account”.",
  incomplete: "Your payment is not complete. Join again to finish it.",
};
