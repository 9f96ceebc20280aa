import { Refusal } from "./refusal.ts";

/** The policy of the deployed pool (infra/constructs/identity.ts). */
const rules: readonly (readonly [RegExp, string])[] = [
  [/^.{12,}$/s, "Password not long enough"],
  [/\p{Lu}/u, "Password must have uppercase characters"],
  [/\p{Ll}/u, "Password must have lowercase characters"],
  [/\d/, "Password must have numeric characters"],
];

/** @throws Refusal `InvalidPasswordException` for a password that the pool's policy does not allow */
export function assertPassword(password: string): void {
  const broken = rules.find(([rule]) => !rule.test(password));
  if (broken) throw new Refusal("InvalidPasswordException", `Password did not conform with policy: ${broken[1]}`);
}
