import * as v from "valibot";
import { cloudFormation } from "../deploy/cloudformation.ts";
import type { CheckedStack } from "./stack.ts";

const Template = v.object({
  Resources: v.record(
    v.string(),
    v.object({ Type: v.string(), Properties: v.optional(v.record(v.string(), v.unknown()), {}) }),
  ),
});

/** A resource of the deployed template. */
export type TemplateResource = {
  /** Id in the template. */
  readonly id: string;
  /** Name in AWS. */
  readonly name: string;
  readonly properties: Readonly<Record<string, unknown>>;
};

/**
 * Reads the resources of a type from the deployed template.
 *
 * @throws Error if CloudFormation cannot be asked
 */
export async function templateResources(stack: CheckedStack, type: string): Promise<TemplateResource[]> {
  const { Resources } = v.parse(Template, JSON.parse(await cloudFormation().template(`odis-${stack.stage}`)));
  const names = namesOf(stack);
  return Object.entries(Resources)
    .filter(([, { Type }]) => Type === type)
    .map(([id, { Properties: properties }]) => ({ id, name: names.get(id) ?? "", properties }));
}

/** Names in AWS of all resources of a stack, by their ids in the template. */
export const namesOf = ({ resources }: Pick<CheckedStack, "resources">): ReadonlyMap<string, string> =>
  new Map(resources.map(({ LogicalResourceId: id = "", PhysicalResourceId: name = "" }) => [id, name]));

const Reference = v.strictObject({ Ref: v.string() });

/** Returns a value of the template as text. Undefined if only CloudFormation can compute it. */
export function textOf(value: unknown, names: ReadonlyMap<string, string>): string | undefined {
  if (v.is(Reference, value)) return names.get(value.Ref);
  return typeof value === "string" ? value : undefined;
}
