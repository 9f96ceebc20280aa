import type Stripe from "stripe";
import * as v from "valibot";
import { type ApiFailure, invalid } from "./failure.ts";

/** Decodes a form with brackets, `items[0][price]=…`, to nested objects and arrays of strings. */
export function decode(form: Iterable<readonly [name: string, value: string]>): Record<string, unknown> {
  const root: Nested = new Map();
  for (const [name, value] of form) {
    const path = name.replaceAll("]", "").split("[");
    const last = path.pop() ?? "";
    const parent = path.reduce(childOf, root);
    parent.set(last === "" ? String(parent.size) : last, value);
  }
  return Object.fromEntries([...root].map(([key, value]) => [key, plain(value)]));
}

type Nested = Map<string, string | Nested>;

function childOf(parent: Nested, key: string): Nested {
  const child = parent.get(key);
  if (child instanceof Map) return child;
  const added: Nested = new Map();
  parent.set(key, added);
  return added;
}

function plain(value: string | Nested): unknown {
  if (typeof value === "string") return value;
  const isList = [...value.keys()].every((key, n) => key === String(n));
  if (isList) return [...value.values()].map(plain);
  return Object.fromEntries([...value].map(([key, inner]) => [key, plain(inner)]));
}

/**
 * Parses parameters.
 *
 * @throws ApiFailure with Stripe's message about the first problem
 */
export function read<P>(schema: v.GenericSchema<unknown, P>, input: Record<string, unknown>): P {
  const result = v.safeParse(schema, input);
  if (result.success) return result.output;
  const unknown = result.issues.filter(isUnknownKey).map(({ path = [] }) => nameOf(path));
  if (unknown.length > 0) {
    throw invalid(`Received unknown parameter${unknown.length > 1 ? "s" : ""}: ${unknown.join(", ")}`, {
      code: "parameter_unknown",
      param: unknown[0],
    });
  }
  throw failureOf(...deepest(result.issues[0]));
}

type Issue = v.BaseIssue<unknown>;
type Path = readonly v.IssuePathItem[];

function failureOf(issue: Issue, path: Path): ApiFailure {
  const param = nameOf(path);
  const given = typeof issue.input === "string" ? issue.input : JSON.stringify(issue.input);
  if (issue.input === undefined)
    return invalid(`Missing required param: ${param}.`, { code: "parameter_missing", param });
  if (issue.type === "non_empty") {
    const words = `You passed an empty string for '${param}'. We assume empty values are an attempt to unset a field; however '${param}' cannot be unset. You should remove '${param}' from your request or supply a non-empty value.`;
    return invalid(words, { code: "parameter_invalid_empty", param });
  }
  if (issue.expected === "integer")
    return invalid(`Invalid integer: ${given}`, { code: "parameter_invalid_integer", param });
  if (issue.type === "min_value" || issue.type === "max_value") {
    const bound = issue.type === "min_value" ? "greater" : "less";
    const words = `This value must be ${bound} than or equal to ${String(issue.requirement)}.`;
    return invalid(words, { code: "parameter_invalid_integer", param });
  }
  if (issue.type === "picklist") {
    const values = (issue.expected ?? "").replace(/[()"]/g, "").split(" | ");
    const last = values.pop();
    return invalid(`Invalid ${param}: must be one of ${values.join(", ")}${values.length > 1 ? "," : ""} or ${last}`, {
      param,
    });
  }
  if (issue.type === "url") return invalid(issue.message, { code: "url_invalid", param });
  if (issue.type === "strict_object" || issue.type === "record") return invalid("Invalid object", { param });
  if (issue.type === "array") return invalid("Invalid array", { param });
  return invalid(issue.kind === "schema" ? `Invalid ${issue.type}: ${given}` : issue.message, { param });
}

/** Returns the innermost issue and its path. For a union, follows the first option. */
function deepest(issue: Issue, path: Path = []): [Issue, Path] {
  const place = [...path, ...(issue.path ?? [])];
  const [inner] = issue.issues ?? [];
  return inner ? deepest(inner, place) : [issue, place];
}

const isUnknownKey = ({ type, expected }: Issue) => type === "strict_object" && expected === "never";

function nameOf(path: Path): string {
  const [first, ...rest] = path.map(({ key }) => String(key));
  return `${first ?? ""}${rest.map((key) => `[${key}]`).join("")}`;
}

export const text = v.pipe(v.string(), v.nonEmpty());

export const currencyCode = v.pipe(
  text,
  v.toLowerCase(),
  v.regex(/^[a-z]{3}$/, ({ input }) => `Invalid currency: ${input}`),
);

/** The same schema for several parameters. */
export const each = <S extends v.GenericSchema, const Name extends string>(schema: S, ...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, schema])) as Record<Name, S>;

export const url = v.pipe(text, v.url("Not a valid URL"));

/** A text that an empty value removes. */
export const clearable = v.pipe(
  v.string(),
  v.transform((value) => (value === "" ? null : value)),
);

/** An integer, as digits in a form. */
export const integer = (bounds: { min?: number; max?: number } = {}) =>
  v.pipe(
    v.union([v.number(), v.string()]),
    v.rawTransform(({ dataset: { value }, addIssue, NEVER }) => {
      if (/^-?\d+$/.test(String(value)) && Number.isSafeInteger(Number(value))) return Number(value);
      addIssue({ expected: "integer" });
      return NEVER;
    }),
    v.minValue(bounds.min ?? Number.MIN_SAFE_INTEGER),
    v.maxValue(bounds.max ?? Number.MAX_SAFE_INTEGER),
  );

export const flag = v.pipe(
  v.union([v.boolean(), v.picklist(["true", "false"])]),
  v.transform((value) => value === true || value === "true"),
);

/** Seconds since 1970. */
export const timestamp = integer({ min: 0 });

/**
 * Metadata entries to add or change. An empty value removes its entry. An empty text instead of an object removes all
 * entries.
 */
export const metadata = v.union([v.record(v.string(), v.string()), v.literal("")]);

/** Applies a change of metadata, in the form of the parameter `metadata`. */
export function merged(before: Stripe.Metadata | null, change: Readonly<Record<string, string>> | "" | undefined) {
  if (change === "") return {};
  const entries = Object.entries({ ...before, ...change });
  return Object.fromEntries(entries.filter(([, value]) => value !== ""));
}
