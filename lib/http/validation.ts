import * as v from "valibot";
import { type Issue, type IssueCode, validationFailed } from "../problem.ts";
import { structureIssues, unknownProperty } from "./structure.ts";

/** The part of the request that an input comes from. Issues name a JSON Pointer in the body, or a query parameter. */
type Place = "body" | "query";

type BodyIssue = Issue & { readonly pointer: string };

/**
 * Parses an input with its schema.
 *
 * @param record schema of the record that a body writes: its other fields are read-only
 * @throws Problem `validation_failed`, with an entry for each invalid field
 */
export function validate<S extends v.GenericSchema>(
  place: Place,
  schema: S,
  input: unknown,
  record?: v.GenericSchema,
): v.InferOutput<S> {
  const read = readAs(schema, input, place === "body" ? (issue) => readOnlyOr(bodyIssue(issue), record) : queryIssue);
  if (read.errors) throw validationFailed(read.errors);
  return read.output;
}

/**
 * Changes the issue of an unknown field to `read_only` if the field belongs to the record. For bodies of the form
 * `{"<name>": {<fields>}}`.
 */
function readOnlyOr(issue: BodyIssue, record: v.GenericSchema | undefined): BodyIssue {
  const [, , field, ...deeper] = issue.pointer.split("/");
  const isOfRecord = record && "entries" in record && Object.hasOwn(record.entries as object, field ?? "");
  if (issue.code !== unknownProperty.code || !isOfRecord || deeper.length > 0) return issue;
  return { ...issue, code: "read_only", message: "is read-only" };
}

/** Parses one record of a list in a body. Returns the record or its issues. `at` is the pointer to the record. */
export const validateOne = <S extends v.GenericSchema>(at: string, schema: S, input: unknown) =>
  readAs(schema, input, (issue) => bodyIssue(issue, at), at);

type Read<S extends v.GenericSchema, I> =
  | { readonly output: v.InferOutput<S>; readonly errors?: undefined }
  | { readonly output?: undefined; readonly errors: readonly (I | BodyIssue)[] };

function readAs<S extends v.GenericSchema, I>(
  schema: S,
  input: unknown,
  told: (issue: v.BaseIssue<unknown>) => I,
  at = "",
): Read<S, I> {
  const structure = structureIssues(schema, input, at);
  const { success, output, issues = [] } = v.safeParse(schema, input, { message: wordsOf });
  if (success && structure.length === 0) return { output };
  // A list in place of an object also lacks all fields of the object.
  const lists = new Set(structure.map(({ pointer }) => pointer));
  // One issue per field. Otherwise an invalid URL would have a second issue: that it is no https URL.
  const reported = new Set<string>();
  const others = issues.filter((issue) => {
    const { pointer } = bodyIssue(issue, at);
    if (reported.has(pointer) || enclosing(pointer).some((place) => lists.has(place))) return false;
    reported.add(pointer);
    return true;
  });
  return { errors: [...structure, ...others.map((issue) => told(issue))] };
}

/** The pointers to everything that has a value within it, and to the value itself. */
const enclosing = (pointer: string): string[] =>
  pointer.split("/").map((_, n, names) => names.slice(0, n + 1).join("/"));

const queryIssue = (issue: v.BaseIssue<unknown>): Issue => ({
  parameter: pathOf(issue)[0] ?? "",
  code: codeOf(issue),
  message: issue.message,
});

function bodyIssue(issue: v.BaseIssue<unknown>, at = ""): BodyIssue {
  const path = pathOf(issue).map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  return { pointer: at + path.join(""), code: codeOf(issue), message: issue.message };
}

const pathOf = ({ path }: v.BaseIssue<unknown>): string[] => (path ?? []).map(({ key }) => String(key));

const objectTypes = new Set(["strict_object", "loose_object", "object"]);

/** The code of an issue. A check made with `rule` has its own code. */
function codeOf({ type, kind, expected, input }: v.BaseIssue<unknown>): IssueCode {
  if (objectTypes.has(type) && expected !== "Object") return expected === "never" ? unknownProperty.code : "required";
  switch (type) {
    case "check":
      return expected as IssueCode;
    case "picklist":
      return "not_one_of";
    case "min_value":
      return "too_small";
    case "max_value":
      return "too_large";
    case "min_length":
      return Array.isArray(input) ? "too_few" : "too_short";
    case "max_length":
      return Array.isArray(input) ? "too_many" : "too_long";
    case "safe_integer":
      if (!Number.isInteger(input)) return "wrong_type";
      return Number(input) > 0 ? "too_large" : "too_small";
    default:
      return kind === "schema" ? "wrong_type" : "invalid_format";
  }
}

const typeNames: Readonly<Partial<Record<string, string>>> = {
  array: "a list",
  custom: "an object",
  union: "an object",
};

/** The message of an issue whose schema has no message. */
function wordsOf({ type, requirement, expected, input }: v.BaseIssue<unknown>): string {
  if (objectTypes.has(type) && expected !== "Object")
    return expected === "never" ? unknownProperty.message : "is required";
  switch (type) {
    case "min_value":
      return `must be at least ${String(requirement)}`;
    case "max_value":
      return `must be at most ${String(requirement)}`;
    case "min_length":
      return `must have at least ${String(requirement)} ${unitOf(input, requirement)}`;
    case "max_length":
      return `must have at most ${String(requirement)} ${unitOf(input, requirement)}`;
    case "safe_integer":
      return Number.isInteger(input) ? `must be within ±${Number.MAX_SAFE_INTEGER}` : "must be an integer";
    default:
      return `must be ${objectTypes.has(type) ? "an object" : (typeNames[type] ?? `a ${type}`)}`;
  }
}

const unitOf = (input: unknown, number: unknown): string =>
  `${Array.isArray(input) ? "item" : "character"}${number === 1 ? "" : "s"}`;
