import { moneyOf } from "../format.ts";
import { OdisProblem, SignInError } from "./odis.ts";

/** The text about an error of the API, of the sign-in, or of the network. */
export function problemText(error: unknown): string {
  if (error instanceof OdisProblem) {
    const { refundable_cents } = error.problem;
    if (error.code === "amount_exceeds_refundable" && refundable_cents !== undefined)
      return `At most ${moneyOf(refundable_cents)} of this payment can be refunded.`;
    return texts[error.code] ?? sentence(error.message);
  }
  if (error instanceof SignInError) return refusalText(error) ?? texts[error.code] ?? sentence(error.message);
  if (error instanceof TypeError) return "The server cannot be reached. Check your connection and try again.";
  return error instanceof Error ? error.message : "Something went wrong.";
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`;

/** The text about a refused sign-in. Cognito has the same code for all reasons, and only its message says which. */
const refusalText = ({ code, message }: SignInError): string | undefined =>
  code === "NotAuthorizedException" ? refusals.find(([reason]) => reason.test(message))?.[1] : undefined;

const refusals: readonly (readonly [reason: RegExp, text: string])[] = [
  [/^Incorrect username or password/, "The email address or password is incorrect."],
  [/session/i, "This took too long. Sign in again."],
  [/attempts exceeded/i, "There were too many attempts. Wait a few minutes and try again."],
  [/disabled/i, "This account is disabled."],
];

const texts: Readonly<Record<string, string>> = {
  CodeMismatchException: "The code is incorrect. Check it and try again.",
  EnableSoftwareTokenMFAException: "The code is incorrect. Check it and try again.",
  ExpiredCodeException: "The code has expired. Use a new one.",
  InvalidPasswordException:
    "Choose a password of at least 12 characters, with an uppercase letter, a lowercase letter and a digit.",
  LimitExceededException: "There were too many attempts. Wait a few minutes and try again.",
  PasswordResetRequiredException: "This account needs a new password. Set it with the code that was emailed to you.",
  TooManyRequestsException: "There were too many attempts. Wait a few minutes and try again.",
  UnprovenAccount: "This account needs a new password. Set it with the code that was emailed to you.",
  UserNotConfirmedException: "This account is not confirmed yet. Confirm it with the code that was emailed to you.",
  UsernameExistsException: "There is an account with this email address already. Sign in instead.",
  already_in_team: "This person is already in the team.",
  cancel_scheduled: "The subscription is set to end. Keep it first, then change it.",
  cannot_block_owner: "The owner of a community cannot be blocked.",
  charge_already_refunded: "This payment was already refunded in full.",
  charge_disputed: "The member has disputed this payment with their bank, so it cannot be refunded.",
  destination_disabled: "This event destination is disabled. Enable it first.",
  forbidden: "You do not have permission to do this.",
  internal: "Something went wrong on our end. Try again.",
  member_blocked: "The member is blocked. Unblock them first.",
  no_subscription: "The member has no subscription in Stripe.",
  not_found: "Not found. It may have been deleted.",
  not_scheduled_to_cancel: "The subscription is not scheduled to end.",
  nothing_to_change: "The member already has this tier and interval.",
  nothing_to_refund: "There is no payment that can be refunded.",
  payment_overdue: "A payment is overdue. It must be paid before the subscription can change.",
  period_ended: "The end of the period has passed. End the membership now instead.",
  payment_processor_error: "Stripe could not process the request. You can safely try again.",
  payment_processor_unavailable: "Stripe cannot be reached. You can safely try again.",
  request_in_progress:
    "This request, or another one about the same payment or subscription, is still running. You can safely try again in a moment.",
  slug_taken: "Another community uses this address. Choose a different one.",
  stale_record: "This was changed after you opened it. Check it, then try again.",
  subscription_already_canceled: "The subscription has already ended.",
  subscription_not_managed: "This subscription can only be changed in Stripe.",
  tier_in_use: "This tier has been used, so it cannot be deleted. Archive it instead.",
  timeout: "The request took too long. You can safely try again.",
  too_many_changes: "The subscription was changed five times in the last 24 hours. Try again tomorrow.",
  too_many_requests: "There were too many requests. Wait a moment and try again.",
  unavailable: "The service is busy. You can safely try again.",
  validation_failed: "Some fields are not valid.",
};

/**
 * The errors of single fields, by the query parameter or the last name in their pointer: `/member/shipping_address/line1` →
 * `line1`. A pointer into a list names the field of the list, and one into custom data the field `value`.
 */
export function fieldErrors(error: unknown): ReadonlyMap<string, string> {
  if (!(error instanceof OdisProblem)) return new Map();
  return new Map(
    error.errors.flatMap(({ pointer, parameter, message }) => {
      const place = pointer?.replace(/\/metadata(?!\/notes$).*/, "/value");
      const name = parameter ?? place?.split("/").findLast((part) => part !== "" && !/^\d+$/.test(part));
      return name === undefined ? [] : [[name, sentence(message)] as const];
    }),
  );
}

/** Whether the record was changed since it was read. */
export const isConflict = (error: unknown): boolean => error instanceof OdisProblem && error.code === "stale_record";

/** Whether the record does not exist. */
export const isMissing = (error: unknown): boolean => error instanceof OdisProblem && error.status === 404;

/** Counts a deletion as done if the record is gone: an earlier attempt whose response was lost may have deleted it. */
export function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}
