import type { Plugin } from "esbuild";
import { type PlacedRoute, routes } from "#lib/contract/index.ts";

/** The source of a route's entry point: its endpoint with only the code that the route needs. */
function entryOf(route: PlacedRoute): string {
  const file = `./functions/${route.area}/${route.file}.ts`;
  const parts = partsOf(route);
  return [
    `import { handler as endpoint } from "${file}";`,
    `import { aws } from "#lib/platform.ts";`,
    ...parts.map(([name, from]) => `import { ${name} } from "${from}";`),
    `export const handler = endpoint.on({ ...aws, ${parts.map(([name, , as = name]) => `${as}: ${name}`).join(", ")} });`,
  ].join("\n");
}

type Part = readonly [name: string, from: string, as?: string];

function partsOf({ method, access, billing, seals, queues, readsAddress, limited, csv }: PlacedRoute): Part[] {
  return [
    ...(billing ? [["billing", "#lib/billing/stripe.ts"] as const] : []),
    ...(method === "POST" && access !== "public" ? [["idempotent", "#lib/http/idempotency.ts"] as const] : []),
    ...(seals && method === "POST" ? [["openSealing", "#lib/delivery/sealing.ts", "sealing"] as const] : []),
    ...(readsAddress ? [["addressOf", "#lib/verified-address.ts"] as const] : []),
    ...(queues ? [["enqueue", "#lib/delivery/queue.ts"] as const] : []),
    ...(limited ? [["limit", "#lib/http/limit.ts"] as const] : []),
    ...(csv ? [["csvOf", "#lib/http/csv.ts", "csv"] as const] : []),
  ];
}

/** Resolves the entry points `route:<id>`, which exist only during the build. */
export const entries: Plugin = {
  name: "entries",
  setup(esbuild) {
    const { absWorkingDir: resolveDir = "." } = esbuild.initialOptions;
    esbuild.onResolve({ filter: /^route:/ }, ({ path }) => ({ path: path.slice("route:".length), namespace: "route" }));
    esbuild.onLoad({ filter: /./, namespace: "route" }, ({ path }) => {
      const route = routes.find(({ id }) => id === path);
      return route ? { contents: entryOf(route), resolveDir } : { errors: [{ text: `There is no route ${path}` }] };
    });
  },
};
