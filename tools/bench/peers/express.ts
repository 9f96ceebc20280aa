import express, { type Request } from "express";
import serverless from "serverless-http";
import type { App } from "./app.ts";

/** The three routes on Express with serverless-http, as in its README. */
export function expressHandler(app: App) {
  const server = express();
  server.disable("x-powered-by");
  const routes = {
    "/odis/v1/communities/:community_id/members": app.listMembers,
    "/odis/v1/communities/:community_id/members/:id": app.showMember,
    "/odis/v1/communities/:community_id/benefits": app.listBenefits,
  };
  for (const [path, answer] of Object.entries(routes))
    server.get(path, async (request: Request<Record<string, string>>, response) => {
      const { status, headers, body } = await answer({
        authorization: request.headers.authorization,
        params: request.params,
        query: request.query as Record<string, string>,
      });
      response.status(status).set(headers).send(body);
    });
  return serverless(server);
}
