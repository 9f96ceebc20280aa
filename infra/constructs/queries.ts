import { Stack } from "aws-cdk-lib";
import { LogGroup, QueryDefinition, QueryString, type QueryStringProps } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { metricsNamespace, type Settings } from "../settings.ts";

/** Saved queries of CloudWatch Logs Insights for `docs/operations.md`. Logs contain no bodies, IP or email addresses. */
const queries: Readonly<Record<string, QueryStringProps>> = {
  "One request": {
    // Finds the lines of the gateway, of the function, and of the stream's consumer, which lists the requests.
    filterStatements: ["@message like /REQUEST_ID/"],
    fields: ["@timestamp", "@log", "route", "status", "message", "error.message", "@message"],
    sort: "@timestamp asc",
  },
  Errors: {
    // Errors in our own lines, uncaught errors in lines of Lambda's runtime, timeouts and crashes in Lambda's reports
    // (`platform.report`), and errors of the gateway, even if no function ran.
    filterStatements: [
      'level in ["error", "ERROR", "FATAL"] or record.status in ["error", "failure", "timeout"] or status >= 500',
    ],
    fields: [
      "@timestamp",
      "request_id",
      "route",
      "status",
      "problem",
      "error.name",
      "error.message",
      "error.cause.message",
      "message",
      "errorType",
      "errorMessage",
      "record.status",
      "@logStream",
    ],
    sort: "@timestamp desc",
  },
  "Slow routes": {
    filterStatements: ["ispresent(duration_ms)"],
    statsStatements: [
      "count(*) as requests, pct(duration_ms, 50) as p50, pct(duration_ms, 99) as p99, sum(stripe_calls) by route",
    ],
    sort: "p99 desc",
  },
  "Who read the members of a community": {
    filterStatements: [
      'route = "GET /odis/v1/communities/{community_id}/members" and params.community_id = COMMUNITY_ID and status = 200',
    ],
    statsStatements: ["sum(records) as records, count(*) as requests by caller_id"],
    sort: "records desc",
  },
};

type Props = { readonly accessLog: LogGroup; readonly settings: Settings };

/** The saved queries. They search the log groups of all functions and of the gateway. */
export class Queries extends Construct {
  constructor(scope: Construct, id: string, { accessLog, settings }: Props) {
    super(scope, id);
    const ofFunctions = Stack.of(this).node.children.filter((child) => child instanceof LogGroup);
    for (const [name, query] of Object.entries(queries))
      new QueryDefinition(this, name.replaceAll(" ", ""), {
        queryDefinitionName: `${metricsNamespace(settings)}/${name}`,
        logGroups: [accessLog, ...ofFunctions],
        queryString: new QueryString(query),
      });
  }
}
