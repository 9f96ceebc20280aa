import { useClub } from "./context.ts";
import type { SignInError, SignInStep } from "./odis.ts";
import { messageOf } from "./texts.ts";

export type Challenge = Exclude<SignInStep, { status: "signed_in" }>;

/**
 * Returns a function that continues after a step of a sign-in: with the session, with the form for a new password if the
 * account needs one, or with a challenge, which it returns.
 */
export function useProceed() {
  const { accounts, session, go, enter } = useClub();
  return async (answer: Promise<SignInStep>, email: string): Promise<Challenge | undefined> => {
    try {
      const step = await answer;
      if (step.status !== "signed_in") return step;
      await session.begin(step.session);
      await enter();
    } catch (error) {
      const { code } = error as Partial<SignInError>;
      if (code === "UnprovenAccount") await accounts.forgotPassword(email);
      else if (code !== "PasswordResetRequiredException") throw error;
      go("forgotten", messageOf(error), email);
    }
    return undefined;
  };
}
