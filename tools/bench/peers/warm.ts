import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import { handler as listBenefits } from "../../../functions/benefits/list.ts";
import { handler as listMembers } from "../../../functions/members/list.ts";
import { handler as showMember } from "../../../functions/members/show.ts";
import { atMost, type Result } from "../result.ts";
import { interleaved, median, ratioOf } from "../statistics.ts";
import { expressHandler } from "./express.ts";
import { honoHandler } from "./hono.ts";
import { routeNames, type Scenario, scenarioRequests } from "./scenario.ts";

type RouteName = (typeof routeNames)[number];
type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<unknown>;
type Handlers = Readonly<Record<RouteName, Handler>>;

const batch = 100;
const context = { getRemainingTimeInMillis: () => 10_000 } as Context;

/** Measures the overhead of the frameworks in a warm request. */
export async function run(): Promise<Result> {
  const scenario = await scenarioRequests();
  try {
    const cases = Object.entries(frameworks(scenario)).flatMap(([name, handlers]) =>
      routeNames.map((route) => ({ name, route, call: handlers[route], event: scenario.events[route] })),
    );
    const taken = await interleaved(cases, { rounds: 80, warmUp: 20 }, async ({ call, event }) => {
      const before = process.cpuUsage();
      let answer: unknown;
      for (let n = 0; n < batch; n++) answer = await call({ ...event }, context);
      const { user, system } = process.cpuUsage(before);
      const { statusCode, status = statusCode } = answer as { statusCode?: number; status?: number };
      if (status !== 200) throw new Error(`It answered ${status} to ${event.rawPath}`);
      return (user + system) / batch;
    });
    return report(
      (name, route) => taken.find(({ testCase }) => testCase.name === name && testCase.route === route)?.samples ?? [],
    );
  } finally {
    await scenario.bench.stop();
  }
}

const [odis, hono, express, alone] = ["Odis", "Hono", "Express with serverless-http", "the work alone"] as const;

function frameworks({ app, mount }: Scenario): Record<string, Handlers> {
  const everywhere = (handler: unknown): Handlers => {
    const anyRoute = handler as Handler;
    return { show: anyRoute, list: anyRoute, benefits: anyRoute };
  };
  const directly =
    (answer: typeof app.showMember): Handler =>
    ({ headers: { authorization }, pathParameters }) =>
      answer({ authorization, params: pathParameters as Record<string, string>, query: {} });
  return {
    [odis]: { show: showMember.on(mount), list: listMembers.on(mount), benefits: listBenefits.on(mount) },
    [hono]: everywhere(honoHandler(app)),
    [express]: everywhere(expressHandler(app)),
    [alone]: {
      show: directly(app.showMember),
      list: directly(app.listMembers),
      benefits: directly(app.listBenefits),
    },
  };
}

function report(of: (name: string, route: RouteName) => readonly number[]): Result {
  /** Mean overhead of the three routes over the plain functions, per round. */
  const overhead = (name: string) =>
    of(name, "show").map((_, round) => {
      const more = routeNames.map((route) => (of(name, route)[round] ?? 0) - (of(alone, route)[round] ?? 0));
      return more.reduce((sum, ms) => sum + ms, 0) / more.length;
    });
  const ratio = (name: string) => ratioOf(overhead(odis), overhead(name));
  return {
    method:
      "The same three requests by an admin, in batches in turn, on a table that responds from memory: CPU µs per request. All " +
      "verify the token, check permissions, validate the query and trim the response to its schema with the same code, which " +
      "on its own is the last row. The rest is the framework's time, and its mean over the three requests is the overhead. " +
      "Odis writes no request log here, because the others have none.",
    rows: [odis, hono, express, alone].map((name) => ({
      framework: name,
      "show a member": median(of(name, "show")),
      "list 20 members": median(of(name, "list")),
      "list 10 benefits": median(of(name, "benefits")),
      overhead: name === alone ? undefined : median(overhead(name)),
      "overhead of Odis, relative to it": name === hono || name === express ? ratio(name) : undefined,
    })),
    claims: [atMost(0.5, "The overhead of a warm request, relative to Express with serverless-http", [ratio(express)])],
  };
}
