import { Refusal } from "./refusal.ts";
import type { User } from "./users.ts";

/** The one code that a mailbox gets here. */
const code = "000000";

export type Purpose = "sign-up" | "password" | "email";

export type Mailbox = ReturnType<typeof openMailbox>;

/** The codes that users have been sent, each for one purpose. They are forgotten with this process. */
export function openMailbox() {
  const sent = new Set<string>();
  return {
    send: ({ sub }: User, purpose: Purpose): void => void sent.add(`${purpose} ${sub}`),

    /** Takes a code once. @throws Refusal for another one, and if none was sent */
    take({ sub }: User, purpose: Purpose, given: string): void {
      if (!sent.has(`${purpose} ${sub}`))
        throw new Refusal("ExpiredCodeException", "Invalid code provided, please request a code again.");
      if (given !== code) throw wrongCode();
      sent.delete(`${purpose} ${sub}`);
    },
  };
}

/** The response to somebody whom the pool does not know is the same. */
export const wrongCode = () =>
  new Refusal("CodeMismatchException", "Invalid verification code provided, please try again.");

/** What the response says of a message: `a***@e***`. */
export const deliveryTo = (address: string) => ({
  AttributeName: "email",
  DeliveryMedium: "EMAIL",
  Destination: address.replace(/^(.?)[^@]*@(.?).*$/, "$1***@$2***"),
});
