import type { Membership, OdisProblem, SignInError } from "./odis.ts";

const dollars = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  trailingZeroDisplay: "stripIfInteger",
});
const dates = new Intl.DateTimeFormat("en-US", { day: "numeric", month: "long", year: "numeric" });

export const priceOf = (amount: number): string => (amount === 0 ? "Free" : dollars.format(amount));
export const dateOf = (timestamp: string): string => dates.format(new Date(timestamp));

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
  already_a_member: "You are already a member of this community.",
  community_archived: "This community does not take new members.",
  expired_token: ended,
  insufficient_user_authentication: "For this, sign out and sign in again first.",
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
  unpaid: "Your payments have failed. Update your card to come back.",
  incomplete: "Your payment is not complete. Join again to finish it.",
};
