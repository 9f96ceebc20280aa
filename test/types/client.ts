/** What a program must not be able to ask. Each is a compile error, and `tsc` fails where one stops being so. */
import { createOdis } from "odis/client";

const odis = createOdis({ baseUrl: "http://127.0.0.1" });
const params = { path: { community_id: 1 } };

export const possible = async (): Promise<readonly string[]> => {
  const { data } = await odis.get("/odis/v1/communities/{community_id}/members", { params });
  const health: string = (await odis.get("/health")).version;
  const nothing: undefined = await odis.delete("/odis/v1/benefits/{id}", { params: { path: { id: 1 } } });
  const tag: string | null = (await odis.request("get", "/odis/v1/me")).headers.get("etag");
  for await (const member of odis.iterate("/odis/v1/communities/{community_id}/members", { params }))
    console.log(member.id);
  return [...data.map((member): string => member.user.email), health, String(nothing), String(tag)];
};

export const impossible = [
  // @ts-expect-error a path that there is not
  () => odis.get("/odis/v1/nothing"),
  // @ts-expect-error a path that takes another method
  () => odis.post("/odis/v1/benefits/{id}", { params: { path: { id: 1 } } }),
  // @ts-expect-error a path without its parameters
  () => odis.get("/odis/v1/benefits/{id}"),
  // @ts-expect-error a brand's id is a text
  () => odis.get("/odis/v1/producers/{producer_id}/brands", { params: { path: { producer_id: 1 } } }),
  // @ts-expect-error a status that no member has
  () => odis.get("/odis/v1/communities/{community_id}/members", { params: { ...params, query: { status: "gone" } } }),
  // @ts-expect-error a body without what it needs
  () => odis.post("/odis/v1/communities/{community_id}/benefits", { params, body: { benefit: {} } }),
  // @ts-expect-error a list that is not walked by a cursor
  () => odis.iterate("/odis/v1/communities/{community_id}/benefits", { params }),
];
