import { Refusal } from "./refusal.ts";
import type { User } from "./users.ts";

/** The code of every message. */
const code = "000000";

export type Purpose = "sign-up" | "password" | "email";

export type Mailbox = ReturnType<typeof openMailbox>;

/** The codes that were sent to users, each for one purpose. They are lost at the end of the process. */
export function openMailbox() {
  const sent = new Set<string>();
  return {
    send: ({ sub }: User, purpose: Purpose): void => void sent.add(`${purpose} ${sub}`),

    /** Accepts a code once. @throws Refusal for a wrong code, and if none was sent */
    take({ sub }: User, purpose: Purpose, candidate: string): void {
      if (!sent.has(`${purpose} ${sub}`))
        throw new Refusal("ExpiredCodeException", "Invalid code provided, please request a code again.");
      if (candidate !== code) throw wrongCode();
      sent.delete(`${purpose} ${sub}`);
    },
  };
}

/** The refusal of a wrong code. It is the same for unknown users. */
export const wrongCode = () =>
  new Refusal("CodeMismatchException", "Invalid verification code provided, please try again.");

/** The masked address in the response, such as `a***@e***`. */
export const deliveryTo = (address: string) => ({
  AttributeName: "email",
  DeliveryMedium: "EMAIL",
  Destination: address.replace(/^(.?)[^@]*@(.?).*$/, "$1***@$2***"),
});
