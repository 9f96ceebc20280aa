import { Template } from "aws-cdk-lib/assertions";
import { expect } from "vitest";
import { routes } from "#lib/contract/index.ts";
import { createVariant, type VariantName, variantNames } from "../../tools/build/variants.ts";

export type Of = Readonly<Record<string, unknown>>;
export type Stack = ReturnType<typeof stackOf>;

/** A template by the types of its resources, for assertions that hold in every variant. The rules of cdk-nag are checked too. */
function stackOf(variant: VariantName) {
  const { stack } = createVariant(variant);
  // A rule that is broken throws here.
  const template = Template.fromStack(stack);
  const propertiesOf = (type: string) =>
    Object.values(template.findResources(type) as Readonly<Record<string, { readonly Properties: Of }>>).map(
      ({ Properties }) => Properties,
    );
  const all = (type: string) => propertiesOf(`AWS::${type}`);
  const stage = stack.stackName.replace("odis-", "");
  const { Resources: resources } = template.toJSON() as { Resources: Readonly<Record<string, { Type: string }>> };
  return {
    variant,
    stage,
    isProtected: stack.terminationProtection,
    /** All resources by their logical ids. */
    resources,
    /** Types of all resources by their logical ids. */
    types: Object.fromEntries(Object.entries(resources).map(([id, { Type }]) => [id, Type])),
    /** Properties of all resources of a type. */
    all,
    /** The same of a custom resource. */
    custom: (type: string) => propertiesOf(`Custom::${type}`),
    /** Properties of the only resource of a type. */
    one: (type: string): Of => {
      const [first, ...others] = all(type);
      if (!first || others.length > 0) throw new Error(`There is not one ${type}`);
      return first;
    },
    alarm: (name: string) => all("CloudWatch::Alarm").find((alarm) => alarm.AlarmName === `odis-${stage}-${name}`),
    text: JSON.stringify(template.toJSON()),
    count: Object.keys(resources).length,
  };
}

/** What is deployed, in every variant. */
export const stacks = variantNames.map(stackOf);

/** The variant of a name. */
export function stackNamed(name: VariantName): Stack {
  const found = stacks.find(({ variant }) => variant === name);
  if (!found) throw new Error(`There is no variant ${name}`);
  return found;
}

/** The properties of a resource are these, besides others. */
export const is = (actual: unknown, expected: object) => expect(actual).toMatchObject(expected);
/** The same of all, which are at least one. */
export const each = (list: readonly unknown[], expected: object) => {
  expect(list.length).toBeGreaterThan(0);
  for (const one of list) is(one, expected);
};
/** Routes that move money or keep people out. */
export const limited = routes.filter(({ limited: bucket }) => bucket === "money" || bucket === "refunds");
/** Functions by their names. */
export const named = (all: readonly Of[], name: RegExp) =>
  all.filter(({ FunctionName }) => name.test(String(FunctionName)));
