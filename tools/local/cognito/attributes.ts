import { Refusal } from "./refusal.ts";
import { names, type User } from "./users.ts";

export type Attribute = { readonly Name: string; readonly Value: string };

type WritableAttributes = Partial<Pick<User, "email" | (typeof names)[number]>>;

/**
 * Converts attributes to an object, without those that the app client may not write. A blank value deletes the attribute.
 *
 * @see https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_UpdateUserAttributes.html
 */
export const attributesOf = (attributes: readonly Attribute[]): WritableAttributes =>
  Object.fromEntries(attributes.filter(isWritable).map(({ Name, Value }) => [Name, Value || undefined]));

/** @throws Refusal for an attribute that the app client may not write (infra/constructs/identity.ts) */
export function assertWritable(attributes: readonly Attribute[]): void {
  if (!attributes.every(isWritable))
    throw new Refusal("NotAuthorizedException", "A client attempted to write unauthorized attribute");
}

const isWritable = ({ Name }: Attribute): boolean => ["email", ...names].includes(Name);

/** Converts a user to the list of attributes in Cognito's responses. */
export function listed({ sub, email, email_verified, ...user }: User): Attribute[] {
  const nameAttributes = names.map((name) => [name, user[name]] as const);
  return Object.entries({
    sub,
    email,
    email_verified: String(email_verified),
    ...Object.fromEntries(nameAttributes),
  }).flatMap(([Name, Value]) => (Value === undefined ? [] : [{ Name, Value }]));
}
