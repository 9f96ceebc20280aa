import scalar from "@scalar/fastify-api-reference";

type Plugin = (server: object, options: object, done: () => void) => unknown;
type Answering = (request: unknown, reply: object) => unknown;

/**
 * Scalar's script for browsers. Scalar's own package brings 270 others along, 290 MB, to build what its integration for
 * Fastify carries built: so that is asked for the script, as Fastify would.
 */
export async function referenceScript(): Promise<string> {
  const answers = new Map<string, Answering>();
  const server = {
    initialConfig: {},
    hasPlugin: () => false,
    route: ({ url, handler }: { readonly url: string; readonly handler: Answering }) => answers.set(url, handler),
  };
  const options = { routePrefix: "/docs", configuration: { url: "/openapi.json" } } as const;
  // Its own type needs Fastify's, which is not here.
  const plugin: Plugin = scalar;
  await plugin(server, options, () => {});

  const reply = { header: () => reply, send: (text: unknown) => text };
  const script = answers.get("/docs/js/scalar.js")?.(undefined, reply);
  if (typeof script !== "string") throw new Error("@scalar/fastify-api-reference has its script elsewhere");
  return script.replace(/\n\/\/# sourceMappingURL=.*$/, "");
}
