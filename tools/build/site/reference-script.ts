import scalar from "@scalar/fastify-api-reference";

type Plugin = (server: object, options: object, done: () => void) => unknown;
type Answering = (request: unknown, reply: object) => unknown;

/**
 * Returns Scalar's script for browsers from its Fastify integration, which contains it built. Scalar's own package has
 * 270 dependencies and 290 MB.
 */
export async function referenceScript(): Promise<string> {
  const answers = new Map<string, Answering>();
  const server = {
    initialConfig: {},
    hasPlugin: () => false,
    route: ({ url, handler }: { readonly url: string; readonly handler: Answering }) => answers.set(url, handler),
  };
  const options = { routePrefix: "/docs", configuration: { url: "/openapi.json" } } as const;
  // The plugin's type requires Fastify's types, which are not installed.
  const plugin: Plugin = scalar;
  await plugin(server, options, () => {});

  const reply = { header: () => reply, send: (text: unknown) => text };
  const script = answers.get("/docs/js/scalar.js")?.(undefined, reply);
  if (typeof script !== "string") throw new Error("@scalar/fastify-api-reference has its script elsewhere");
  return script.replace(/\n\/\/# sourceMappingURL=.*$/, "");
}
