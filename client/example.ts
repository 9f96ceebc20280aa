import { createOdis, OdisProblem } from "odis/client";

/** Lists the active members of a community, and refunds one of them once. */
export async function example(baseUrl: string, token: () => string | undefined): Promise<string[]> {
  const odis = createOdis({ baseUrl, token });
  const lines: string[] = [];

  const members = "/odis/v1/communities/{community_id}/members";
  const path = { community_id: 1 };
  for await (const member of odis.iterate(members, { params: { path, query: { status: "active", per: 20 } } }))
    lines.push(`${member.user.email} has spent ${member.lifetime_spend_cents} cents`);

  const { data } = await odis.get(members, { params: { path, query: { query: "member", per: 1 } } });
  const [mina] = data;
  if (!mina) throw new Error("The demo has no such member");
  try {
    // The key makes it one refund, even if the program runs several times.
    const header = { "Idempotency-Key": "order-4711" };
    const { refund } = await odis.post(`${members}/{id}/issue_refund`, {
      params: { path: { ...path, id: mina.id }, header },
      body: { amount_cents: 250, note: "A bottle arrived late" },
    });
    lines.push(`refunded ${refund.amount_cents} cents of ${refund.charge_id}`);
  } catch (error) {
    if (!(error instanceof OdisProblem && error.code === "nothing_to_refund")) throw error;
    lines.push("there was nothing to refund");
  }
  return lines;
}

if (import.meta.main) {
  const { ODIS_API_URL = "http://127.0.0.1:3000", ODIS_TOKEN } = process.env;
  try {
    for (const line of await example(ODIS_API_URL, () => ODIS_TOKEN)) console.log(line);
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
