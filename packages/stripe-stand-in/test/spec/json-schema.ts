import { Ajv, type ErrorObject } from "ajv";
import type { Schema } from "./stripe-mock.ts";

/**
 * A validator for the objects of Stripe's OpenAPI 3.0 description, which uses `nullable` and allows ids in place of
 * expandable objects. Unknown properties are accepted, because the types of the pinned client check them.
 */
export function validatorOf(schemas: Readonly<Record<string, Schema>>): (name: string, object: unknown) => string[] {
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  for (const [name, schema] of Object.entries(schemas)) ajv.addSchema(converted(schema) as Schema, `${name}.json`);
  return (name, object) => {
    const validate = ajv.getSchema(`${name}.json`);
    if (!validate) throw new Error(`The description has no ${name}`);
    if (validate(object) === true) return [];
    return [...new Set(validate.errors?.map((error) => inWords(name, error)))];
  };
}

const inWords = (name: string, { instancePath, message, params }: ErrorObject) =>
  `${name}${instancePath.replace(/\/\d+/g, "/*")} ${message} ${JSON.stringify(params)}`;

function converted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(converted);
  if (typeof value !== "object" || value === null) return value;
  const { nullable, "x-expansionResources": expandable, ...schema } = value as Schema;
  const entries = Object.entries(schema).filter(([keyword]) => !keyword.startsWith("x-"));
  const inner: Schema = expandable
    ? { type: "string" }
    : Object.fromEntries(entries.map(([keyword, part]) => [keyword, keywordOf(keyword, part)]));
  return nullable === true ? { anyOf: [{ type: "null" }, inner] } : inner;
}

function keywordOf(keyword: string, part: unknown): unknown {
  if (keyword === "$ref") return `${String(part).split("/").at(-1)}.json`;
  if (keyword === "properties")
    return Object.fromEntries(Object.entries(part as Schema).map(([name, schema]) => [name, converted(schema)]));
  return converted(part);
}
