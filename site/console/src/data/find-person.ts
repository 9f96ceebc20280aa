import type { Odis, Person } from "./odis.ts";

/** The person with an email address, for admins. @throws Error with a text for people if there is none */
export async function personWith(odis: Odis, email: string): Promise<Person> {
  const { data } = await odis.get("/odis/v1/users", { params: { query: { email: email.trim() } } });
  if (!data[0]) throw new Error(`Nobody with the address ${email.trim()} has signed in yet.`);
  return data[0];
}
