import * as v from "valibot";
import { type Issue, Problem } from "../problem.ts";
import { misplacedLists } from "./misplaced-lists.ts";

/** Where an input came from: decides how its issues name their place. */
type Place = "body" | "query";

/**
 * The input as its schema makes it.
 *
 * @throws Problem `validation_failed`, with an entry for each thing that is wrong
 */
export function validate<S extends v.GenericSchema>(place: Place, schema: S, input: unknown): v.InferOutput<S> {
  const read = readAs(schema, input, (issue) => issueOf(place, issue));
  if (read.errors) throw invalid(read.errors);
  return read.output;
}

/** What a schema makes of one record out of many in a body, or what is wrong with it: `at` is where it stands. */
export const validateOne = <S extends v.GenericSchema>(at: string, schema: S, input: unknown) =>
  readAs(schema, input, (issue) => bodyIssue(issue, at), at);

type Read<S extends v.GenericSchema, I> =
  | { readonly output: v.InferOutput<S>; readonly errors?: undefined }
  | { readonly output?: undefined; readonly errors: (I | ReturnType<typeof bodyIssue>)[] };

function readAs<S extends v.GenericSchema, I>(
  schema: S,
  input: unknown,
  told: (issue: v.BaseIssue<unknown>) => I,
  at = "",
): Read<S, I> {
  const lists = misplacedLists(schema, input, at);
  if (lists.length > 0)
    return { errors: lists.map((pointer) => ({ pointer, code: "object", message: "must be an object" })) };
  const { success, output, issues = [] } = v.safeParse(schema, input);
  return success ? { output } : { errors: issues.map(told) };
}

/** A `validation_failed` whose detail is its first error in words. */
function invalid(errors: readonly Issue[]): Problem {
  const [first] = errors;
  const name = first && ("parameter" in first ? first.parameter : (first.pointer.split("/").at(-1) ?? ""));
  return new Problem("validation_failed", {
    detail: `${name || "the body"} ${first?.message ?? "is not valid"}`,
    errors,
  });
}

function issueOf(place: Place, issue: v.BaseIssue<unknown>): Issue {
  if (place === "body") return bodyIssue(issue);
  const [code, message] = wording(issue);
  return { parameter: pathOf(issue)[0] ?? "", code, message };
}

function bodyIssue(issue: v.BaseIssue<unknown>, at = "") {
  const [code, message] = wording(issue);
  const path = pathOf(issue).map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  return { pointer: at + path.join(""), code, message };
}

const pathOf = ({ path }: v.BaseIssue<unknown>): string[] => (path ?? []).map(({ key }) => String(key));

/** What is wrong, as a code and in words; a schema's own words win. */
function wording({ type, requirement, expected, message, kind }: v.BaseIssue<unknown>): [string, string] {
  switch (type) {
    case "strict_object":
    case "loose_object":
    case "object":
      if (expected === "never") return ["unknown_property", "is not a property of this request"];
      return expected === "Object" ? ["object", "must be an object"] : ["required", "is required"];
    case "picklist":
    case "literal":
      return [type, `must be one of ${expected?.replace(/[()"]/g, "").replaceAll(" | ", ", ")}`];
    case "min_value":
      return [type, `must be at least ${String(requirement)}`];
    case "max_value":
      return [type, `must be at most ${String(requirement)}`];
    case "max_length":
      return [type, `must have at most ${String(requirement)}`];
    case "safe_integer":
      return ["integer", "must be an integer"];
    case "check":
      return ["invalid_value", message];
    case "regex":
      return ["invalid_format", message];
    default:
      return kind === "schema" ? [type, `must be ${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`] : [type, message];
  }
}
