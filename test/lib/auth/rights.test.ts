import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Right, rights } from "#lib/auth/rights.ts";
import type { Endpoint } from "#lib/http/handler.ts";
import { type TeamRole, TeamRole as TeamRoles } from "#lib/values/team-role.ts";
import { apiRoutes } from "../../support/api.ts";
import { invoke, startTable } from "../../support/direct.ts";
import { aScene, cases, expectedOf, nothing, requestFor, resultOf } from "../../support/rights.ts";

const memory = startTable();

describe("a wrong cell in the table of rights", () => {
  let scene: Awaited<ReturnType<typeof aScene>>;
  const endpoints = new Map<string, Endpoint>();
  beforeAll(async () => {
    scene = await aScene(memory.table);
    for (const { id, area, file, right } of apiRoutes)
      if (right) {
        const module = (await import(`../../../functions/${area}/${file}.ts`)) as { readonly handler: Endpoint };
        endpoints.set(id, module.handler);
      }
  });

  const table = rights as Record<Right, readonly TeamRole[]>;
  const original = structuredClone(rights);
  afterEach(() => void Object.assign(table, original));

  /** Number of cells of a role that are not decided as the table of this test says. */
  async function wrongCells(right: Right, role: TeamRole): Promise<number> {
    let wrong = 0;
    for (const { name, route, isCsv } of cases) {
      const endpoint = endpoints.get(route.id);
      if (!endpoint || (isCsv ? route.csvRight : route.right) !== right) continue;
      const { query, headers } = requestFor(route, isCsv);
      const { status = 0 } = await invoke(endpoint, memory.platform(), {
        as: scene.roles[role],
        params: Object.fromEntries(
          Object.entries(scene.paramsOf(route.area)).filter(([param]) => route.path.includes(`{${param}}`)),
        ),
        query,
        headers,
        ...(route.method !== "GET" && { body: nothing }),
      });
      if (resultOf(status) !== expectedOf(name, route, role, "own")) wrong++;
    }
    return wrong;
  }

  const flips = (Object.keys(rights) as Right[]).flatMap((right) => TeamRoles.options.map((role) => ({ right, role })));
  it.each(flips)("the right $right is found to be wrong for the role $role", async ({ right, role }) => {
    expect(await wrongCells(right, role)).toBe(0);
    const roles = table[right];
    table[right] = roles.includes(role) ? roles.filter((one) => one !== role) : [...roles, role];
    expect(await wrongCells(right, role)).toBeGreaterThan(0);
  });

  it("there are 36 cells", () => {
    expect(flips).toHaveLength(36);
  });
});
