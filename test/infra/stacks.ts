import { expect } from "vitest";
import { routes } from "#lib/contract/index.ts";
import { settingsFor } from "../../infra/settings.ts";
import { prodFile, synthesized } from "./synthesized.ts";

export type Of = Readonly<Record<string, unknown>>;
export type Stack = ReturnType<typeof stackOf>;

/** A template by the types of its resources, for assertions that hold in every stage. */
function stackOf(stage: string, contents: object) {
  const { template, resources } = synthesized(settingsFor(stage, contents));
  const all = (type: string) => Object.values(resources<Of>(`AWS::${type}`)).map(({ Properties }) => Properties);
  return {
    stage,
    /** Properties of all resources of a type. */
    all,
    /** Properties of the only resource of a type. */
    one: (type: string): Of => {
      const [first, ...others] = all(type);
      if (!first || others.length > 0) throw new Error(`There is not one ${type}`);
      return first;
    },
    alarm: (name: string) => all("CloudWatch::Alarm").find((alarm) => alarm.AlarmName === `odis-${stage}-${name}`),
    text: JSON.stringify(template.toJSON()),
    count: Object.keys((template.toJSON() as { Resources: object }).Resources).length,
  };
}

/** What is deployed as prod, and as a sandbox. */
export const stacks = [stackOf("prod", prodFile), stackOf("sandbox", {})];

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
