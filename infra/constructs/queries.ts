import { Stack } from "aws-cdk-lib";
import { LogGroup, QueryDefinition, QueryString, type QueryStringProps } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { metricsNamespace, type Settings } from "../settings.ts";

/** Queries of CloudWatch Logs Insights, as `docs/operations.md` names them. Nothing logs a body, an address or an e-mail. */
const queries: Readonly<Record<string, QueryStringProps>> = {
  "One request": {
    // From the gateway to the function and to the consumer of the stream, whose line lists the requests.
    filterStatements: ["@message like /REQUEST_ID/"],
    fields: ["@timestamp", "@log", "route", "status", "message", "error.message", "@message"],
    sort: "@timestamp asc",
  },
  Errors: {
    // Our own lines; those of Lambda's runtime, for what no code of ours caught; time-outs and crashes, which Lambda itself
    // reports (`platform.report`); and what the gateway answered, also where no function ran.
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

/** The saved queries, over the log groups of all functions and the gateway. */
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
