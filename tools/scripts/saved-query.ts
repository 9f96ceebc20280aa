import {
  CloudWatchLogsClient,
  DescribeQueryDefinitionsCommand,
  GetQueryResultsCommand,
  type ResultField,
  StartQueryCommand,
} from "@aws-sdk/client-cloudwatch-logs";
import { UsageError } from "../command.ts";

type SavedQuery = {
  readonly stage: string;
  /** Name without the prefix of the stage. Upper and lower case count as the same. */
  readonly name: string;
  /** Restricts the query to the lines of this function, such as `TriggersEvents`. */
  readonly functionName: string | undefined;
  /** Text to run over the log groups of the saved query, instead of its own. */
  readonly query: string | undefined;
  readonly start: Date;
  readonly end: Date;
};

/** A row of the result, by the names of its fields. */
type Row = Readonly<Record<string, string>>;

/**
 * Runs a saved query of a stage (`infra/constructs/queries.ts`) and waits for its rows.
 *
 * @param pause called between two looks at the result
 * @throws UsageError with the names of the saved queries if there is no such query; Error if the query fails
 */
export async function runSavedQuery(
  { stage, name, functionName, query, start, end }: SavedQuery,
  pause: () => Promise<unknown>,
): Promise<Row[]> {
  const client = new CloudWatchLogsClient();
  const prefix = `odis-${stage}/`;
  const { queryDefinitions = [] } = await client.send(
    new DescribeQueryDefinitionsCommand({ queryDefinitionNamePrefix: prefix }),
  );
  const nameOf = ({ name: full = "" }) => full.slice(prefix.length);
  const saved = queryDefinitions.find((candidate) => nameOf(candidate).toLowerCase() === name.toLowerCase());
  const names = queryDefinitions.map(nameOf).toSorted().join(", ") || "none";
  if (!saved) throw new UsageError(`There is no saved query ${name} of ${stage}. There are: ${names}`);
  const ofFunction = functionName === undefined ? "" : `filter @logStream like /${functionName}/\n| `;
  const { queryId } = await client.send(
    new StartQueryCommand({
      queryString: `${ofFunction}${query ?? saved.queryString}`,
      logGroupNames: saved.logGroupNames,
      startTime: Math.floor(start.getTime() / 1000),
      endTime: Math.ceil(end.getTime() / 1000),
    }),
  );
  for (;;) {
    const { status, results = [] } = await client.send(new GetQueryResultsCommand({ queryId }));
    if (status === "Complete") return results.map(rowOf);
    if (status !== "Scheduled" && status !== "Running") throw new Error(`The query ended with ${status}`);
    await pause();
  }
}

/** Returns the fields of a row without the pointer that Logs Insights adds to each. */
const rowOf = (fields: readonly ResultField[]): Row =>
  Object.fromEntries(
    fields.filter(({ field }) => field !== "@ptr").map(({ field = "", value = "" }) => [field, value]),
  );
