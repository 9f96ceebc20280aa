/** Requests that must not compile. `tsc` fails if any of them compiles. */
import { createOdis } from "odis/client";

const odis = createOdis({ baseUrl: "http://127.0.0.1" });
const params = { path: { community_id: 1 } };

export const possible = async (): Promise<readonly string[]> => {
  const { data } = await odis.get("/odis/v1/communities/{community_id}/members", { params });
  const health: string = (await odis.get("/health")).version;
  const nothing: undefined = await odis.delete("/odis/v1/benefits/{id}", { params: { path: { id: 1 } } });
  await odis.get("/odis/v1/tiers/{id}", { params: { path: { id: 1 } }, anonymous: true, timeout: 5000 });
  const tag: string | null = (await odis.request("get", "/odis/v1/me")).headers.get("etag");
  for await (const member of odis.iterate("/odis/v1/communities/{community_id}/members", { params }))
    console.log(member.id);
  for await (const { name } of odis.iterate("/odis/v1/communities/{community_id}/benefits", { params }))
    console.log(name);
  return [...data.map((member): string => member.user.email), health, String(nothing), String(tag)];
};

export const impossible = [
  // @ts-expect-error the path does not exist
  () => odis.get("/odis/v1/nothing"),
  // @ts-expect-error the path does not support the method
  () => odis.post("/odis/v1/benefits/{id}", { params: { path: { id: 1 } } }),
  // @ts-expect-error the path requires a parameter
  () => odis.get("/odis/v1/benefits/{id}"),
  // @ts-expect-error the id of a brand is a string
  () => odis.get("/odis/v1/producers/{producer_id}/brands", { params: { path: { producer_id: 1 } } }),
  // @ts-expect-error the status is not one of a member
  () => odis.get("/odis/v1/communities/{community_id}/members", { params: { ...params, query: { status: "gone" } } }),
  () =>
    odis.post("/odis/v1/communities/{community_id}/membership/change_subscription", {
      params,
      // @ts-expect-error the interval is not one of a tier
      body: { tier_id: 1, interval: "week" },
    }),
  // @ts-expect-error the body lacks a required field
  () => odis.post("/odis/v1/communities/{community_id}/benefits", { params, body: { benefit: {} } }),
  // @ts-expect-error the route requires a token
  () => odis.get("/odis/v1/me", { anonymous: true }),
  // @ts-expect-error the response is not a list
  () => odis.iterate("/odis/v1/communities/{community_id}/membership", { params }),
];
