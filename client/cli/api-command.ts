import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import type { Command } from "commander";
import { routes } from "#lib/contract/index.ts";
import type { Route } from "#lib/contract/route.ts";
import type { Odis } from "../odis.ts";
import { type ApiCommand, argumentOf } from "./commands.ts";
import { beforeWrite, type Context } from "./context.ts";
import { FailedPost, Interrupted, UsageError } from "./failures.ts";
import { bodyOf, type Field, fieldsOf, idParser, integer, thingOf } from "./options.ts";
import { tableOf } from "./table.ts";

/** Adds a command that calls one route to its group. */
export function addApiCommand(group: Command, name: string, apiCommand: ApiCommand, contextOf: () => Context): void {
  const { route, isConfirmed, hasFile } = apiCommand;
  const argument = argumentOf(apiCommand);
  const fields = fieldsOf(route, argument);
  const command = group.command(name).description(summaryOf(route));
  if (argument !== undefined) command.argument("<id>", `Id of the ${thingOf(route, argument)}`, idParser(route));
  for (const { options } of fields) for (const option of options) command.addOption(option);
  if (isList(route)) command.option("--limit <count>", "Maximum number of records", integer, 100);
  if (route.method === "POST")
    command.option("--key <key>", "Idempotency key. Repeating the command with the same key has no further effect");
  if (hasFile) command.option("--out <file>", "File to write (default: standard output)");

  command.action(async () => {
    const context = contextOf();
    const [id] = command.processedArgs as unknown[];
    const options = command.opts<Readonly<Record<string, unknown>>>();
    const key = route.method === "POST" ? ((options.key as string | undefined) ?? randomUUID()) : undefined;
    const given: Readonly<Record<string, unknown>> = { ...options, key };
    const input = inputOf(route, fields, given, argument === undefined ? {} : { [argument]: id });
    if (route.method === "PATCH" && !Object.values(input.values.body).some((value) => value !== undefined))
      throw new UsageError("There is nothing to change. Add at least one option");

    const opened = await context.open();
    if (route.method !== "GET") {
      const mustConfirm = isConfirmed && input.values.body.dry_run !== true;
      await beforeWrite(opened, context, mustConfirm ? actionOf(route, input.values) : undefined);
    }
    const odis = ["public", "optional"].includes(route.access) ? opened.publicOdis : opened.odis;
    if (isList(route)) return printList(odis, apiCommand, input.init, Number(given.limit), context);
    const send = (signal?: AbortSignal) => context.waiting(() => call(odis, route, { ...input.init, signal }));
    const answer = await (key === undefined ? send() : post(key, send));
    if (typeof given.out === "string")
      await writeFile(given.out, `${JSON.stringify(answer, null, 2)}\n`, { mode: 0o600 });
    else if (answer !== undefined) context.print(answer as object);
  });
}

/**
 * Sends a POST, and aborts it at Ctrl-C.
 *
 * @throws FailedPost
 */
async function post<T>(key: string, send: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const interrupt = () => controller.abort(new Interrupted());
  process.on("SIGINT", interrupt);
  try {
    const answer = await send(controller.signal);
    process.off("SIGINT", interrupt);
    return answer;
  } catch (error) {
    // Still listens: npm repeats the signal of a terminal, which must not end the process before the key is printed.
    throw new FailedPost(key, { cause: error as Error });
  }
}

type Values = Readonly<Record<Field["place"], Readonly<Record<string, unknown>>>>;
type Init = {
  readonly params: { readonly path: object; readonly query: object };
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
};

/** The options of a command as the request of its route. */
function inputOf(
  route: Route,
  fields: readonly Field[],
  given: Readonly<Record<string, unknown>>,
  argument: Readonly<Record<string, unknown>>,
): { readonly values: Values; readonly init: Init } {
  const valueOf = ({ options: [option], isCleared }: Field) => {
    const value = option && given[option.attributeName()];
    return isCleared && value === "" ? null : value;
  };
  const valuesIn = (place: Field["place"]) =>
    Object.fromEntries(fields.filter((field) => field.place === place).map((field) => [field.name, valueOf(field)]));
  const values = { path: { ...valuesIn("path"), ...argument }, query: valuesIn("query"), body: valuesIn("body") };
  const { wrapper } = bodyOf(route);
  const body = wrapper === undefined ? values.body : { [wrapper]: values.body };
  const header = given.key === undefined ? {} : { header: { "Idempotency-Key": given.key } };
  const params = { path: values.path, query: values.query, ...header };
  return { values, init: { params, ...(route.body !== undefined && { body }) } };
}

const summaryOf = ({ method, path }: Route): string =>
  routes.find((route) => route.method === method && route.path === path)?.summary ?? "";

/** What a person confirms: the route's summary and its values. */
function actionOf(route: Route, { path, body }: Values): string {
  const shown = Object.entries({ ...path, ...body }).filter(([, value]) => value !== undefined);
  return `${summaryOf(route)} (${shown.map(([name, value]) => `${name}: ${String(value)}`).join(", ")})`;
}

type Page = { readonly data: readonly unknown[]; readonly has_more: boolean; readonly next_cursor?: string | null };

const isList = ({ output }: Route): boolean =>
  output !== undefined &&
  "entries" in output &&
  "data" in (output.entries as object) &&
  "has_more" in (output.entries as object);

/** Prints records from as many pages as they take: as a table for people, and as one line of JSON each otherwise. */
async function printList(odis: Odis, command: ApiCommand, init: Init, limit: number, context: Context): Promise<void> {
  const { route, columns = [] } = command;
  const { isForPeople, note, waiting } = context;
  const linesOf = isForPeople ? tableOf(columns) : (records: readonly unknown[]) => records.map(toJson);
  const query = { ...init.params.query, per: Math.min(limit, 100) };
  let left = limit;
  const hasMore = await waiting(async ({ set, clear }) => {
    for (let page = 1, place = {}; ; page++) {
      const params = { ...init.params, query: { ...query, ...place } };
      const { data, has_more, next_cursor } = (await call(odis, route, { params })) as Page;
      clear();
      for (const line of linesOf(data.slice(0, left))) console.log(line);
      left -= data.length;
      set(`Reading the list: ${limit - left} records`);
      if (left <= 0 || !has_more) return has_more || left < 0;
      place = route.cursor ? { cursor: next_cursor } : { page: page + 1 };
    }
  });
  if (hasMore) note(`There are more than ${limit}. Set --limit to list them`);
  else if (left === limit && isForPeople) note("There are no records");
}

const toJson = (record: unknown): string => JSON.stringify(record);

/** Calls a route whose method and path are known only at run time. The types of `Odis` require literal paths. */
function call(odis: Odis, { method, path }: Route, init: Init): Promise<unknown> {
  const ask = odis[method.toLowerCase() as "get"] as (path: string, init: object) => Promise<unknown>;
  return ask(path, init);
}
