import { InvalidArgumentError, Option } from "commander";
import { docsOf } from "#lib/contract/descriptions.ts";
import { pathParameters, type Route } from "#lib/contract/route.ts";
import { type Entries, isNullable, type Schema, unwrapped } from "./schema.ts";

/**
 * An input of a route, with its command-line options. An optional boolean has two options, the second of which begins
 * with `--no-`.
 */
export type Field = {
  readonly name: string;
  readonly place: "path" | "query" | "body";
  readonly options: readonly Option[];
  /** Whether an empty text stands for null, because Commander cannot return null as a value. */
  readonly isCleared?: boolean;
};

/** Parameters of lists that the command line sets itself, or that only CSV has. */
const paging = new Set(["per", "page", "cursor", "columns"]);

/** Returns the inputs of a route as options, from its path and the schemas of its query and body. */
export function fieldsOf(route: Route, argument: string | undefined): Field[] {
  const { entries, docs } = bodyOf(route);
  return [
    ...parametersOf(route)
      .filter((name) => name !== argument)
      .map((name): Field => {
        const thing = thingOf(route, name);
        // `--destination` for the `id` of an event destination.
        const flag = name === "id" ? thing.replace(/^.* /, "") : flagOf(name);
        const option = new Option(`--${flag} <id>`, `Id of the ${thing}. Required.`);
        return { name, place: "path", options: [option.argParser(idParser(route)).makeOptionMandatory()] };
      }),
    ...Object.entries((route.query as unknown as Schema | undefined)?.entries ?? {})
      .filter(([name]) => !paging.has(name))
      .map(([name, schema]) => fieldOf("query", name, schema, aboutOf(route.query, name))),
    ...Object.entries(entries).map(([name, schema]) => fieldOf("body", name, schema, docs(name))),
  ];
}

/** The names in the braces of a route's path. */
const parametersOf = ({ path }: Route): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

/** The kind of record that a path parameter identifies, such as `event destination`. */
export const thingOf = ({ path }: Route, name: string): string =>
  pathParameters(path).find((parameter) => parameter.name === name)?.thing ?? "record";

/**
 * The fields of a request body. If the body wraps a record in an object with the record's name, its fields are those of
 * the record.
 */
export function bodyOf({ body }: Route) {
  if (body === undefined || body === "raw") return { wrapper: undefined, entries: {} as Entries, docs: () => "" };
  const { entries = {} } = body as unknown as Schema;
  const [[wrapper, only] = [], ...others] = Object.entries(entries);
  const inner = only && unwrapped(only);
  if (others.length === 0 && inner?.type === "strict_object" && inner.entries)
    return { wrapper, entries: inner.entries, docs: (name: string) => aboutOf(inner, name) };
  return { wrapper: undefined, entries, docs: (name: string) => aboutOf(body, name) };
}

/** `tier_id` → `tier`, `tier_ids` → `tiers`, `delivery_ids` → `deliveries`, `is_blocked` → `blocked`, `avatar_url` → `avatar-url`. */
const flagOf = (name: string): string =>
  name
    .replace(/^is_/, "")
    .replace(/y_ids$/, "ies")
    .replace(/_ids$/, "s")
    .replace(/_id$/, "")
    .replaceAll("_", "-");

/** The description of a field in the API's document, without Markdown. */
function aboutOf(schema: object | undefined, name: string): string {
  const docs = (schema && docsOf(schema))?.[name] ?? "";
  return (typeof docs === "string" ? docs : docs[0]).replaceAll("`", "");
}

function fieldOf(place: "query" | "body", name: string, schema: Schema, about: string): Field {
  const flag = flagOf(name);
  const value = unwrapped(schema);
  const isRequired = place === "body" && schema.type !== "optional";
  if (isBoolean(value)) {
    const option = new Option(`--${flag}`, about);
    if (isRequired) return { name, place, options: [option.default(false)] };
    return { name, place, options: [option, new Option(`--no-${flag}`, `Sets --${flag} to false.`)] };
  }
  const { placeholder, hint, parse } = kindOf(value);
  const isCleared = isNullable(schema);
  const hints = [about, hint, isCleared && 'Pass "" for null.', isRequired && "Required."].filter(Boolean);
  const option = new Option(`--${flag} <${name.endsWith("_id") ? "id" : placeholder}>`, hints.join(" "));
  option.argParser((text: string) => (isCleared && text === "" ? "" : parse(text)));
  return { name, place, options: [option.makeOptionMandatory(isRequired)], isCleared };
}

/** In a query, a boolean is the text `true` or `false`. */
const isBoolean = ({ type, options = [] }: Schema): boolean => type === "boolean" || options.join() === "true,false";

type Kind = { readonly placeholder: string; readonly hint?: string; readonly parse: (text: string) => unknown };

/** How a value is written on the command line. Objects are JSON, lists are separated by commas. */
function kindOf({ type, options = [], item }: Schema): Kind {
  if (type === "picklist")
    return { placeholder: "value", hint: `One of ${options.join(", ")}.`, parse: (text) => oneOf(text, options) };
  if (type === "string") return { placeholder: "text", parse: (text) => text };
  if (type === "number") return { placeholder: "number", parse: numberOf };
  if (type !== "array" || !item) return { placeholder: "json", parse: jsonOf };
  const { parse } = kindOf(item);
  return { placeholder: "a,b", parse: (text) => text.split(",").filter(Boolean).map(parse) };
}

function oneOf(text: string, options: readonly unknown[]): string {
  if (!options.includes(text)) throw new InvalidArgumentError(`It must be one of ${options.join(", ")}.`);
  return text;
}

function numberOf(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) throw new InvalidArgumentError("It must be a number.");
  return value;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError("It must be JSON.");
  }
}

/** Parses a positive integer. */
export function integer(text: string): number {
  if (!/^[1-9]\d{0,15}$/.test(text)) throw new InvalidArgumentError("It must be a positive integer.");
  return Number(text);
}

/** Parses an id in the path of a route. */
export const idParser =
  ({ ids }: Route) =>
  (text: string): string | number =>
    ids === "uuid" ? text : integer(text);
