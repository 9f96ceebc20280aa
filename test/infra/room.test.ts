import { expect, it, vi } from "vitest";
import type { PlacedRoute } from "#lib/contract/index.ts";
import { createVariant, variantNames } from "../../tools/build/variants.ts";

const { target } = vi.hoisted(() => ({ target: 100 }));

// Routes of the contract again under names and paths of their own, as routes that are added resemble those before them.
vi.mock(import("#lib/contract/index.ts"), async (importOriginal) => {
  const original = await importOriginal();
  const again = (route: PlacedRoute): PlacedRoute => {
    const path = `/again${route.path.replace("$default", "/default")}` as const;
    return { ...route, id: `${route.id}Again`, path, key: `${route.method} ${path}` };
  };
  const { routes } = original;
  return { ...original, routes: [...routes, ...routes.slice(0, target - routes.length).map(again)] };
});

it.each(variantNames)("a stack of the variant %s has fewer than 460 resources with 100 routes", (name) => {
  const { app, stack } = createVariant(name);
  const { Resources } = app.synth().getStackByName(stack.stackName).template as {
    Resources: Readonly<Record<string, { readonly Type: string }>>;
  };
  const all = Object.values(Resources);
  expect(all.filter(({ Type }) => Type === "AWS::ApiGatewayV2::Route")).toHaveLength(target);
  expect(all.length).toBeLessThan(460);
});
