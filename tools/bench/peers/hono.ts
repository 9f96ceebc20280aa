import { Hono } from "hono";
import { handle } from "hono/aws-lambda";
import type { App } from "./app.ts";

const paths = {
  listMembers: "/odis/v1/communities/:community_id/members",
  showMember: "/odis/v1/communities/:community_id/members/:id",
  listBenefits: "/odis/v1/communities/:community_id/benefits",
} as const;

/** The three routes on Hono, as in its guide for AWS Lambda. */
export function honoHandler(app: App) {
  const hono = new Hono();
  for (const name of ["listMembers", "showMember", "listBenefits"] as const)
    hono.get(paths[name], async ({ req, newResponse }) => {
      const { status, headers, body } = await app[name]({
        authorization: req.header("authorization"),
        params: req.param(),
        query: req.query(),
      });
      return newResponse(body, status as 200, headers);
    });
  return handle(hono);
}
