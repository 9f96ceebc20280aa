import * as v from "valibot";

const Template = v.object({
  Resources: v.record(
    v.string(),
    v.object({ Type: v.string(), Properties: v.optional(v.record(v.string(), v.unknown()), {}) }),
  ),
});

/** Changes that a service refuses although CloudFormation's documentation allows them, with a source and advice. */
const refused = [
  {
    type: "AWS::Cognito::UserPool",
    property: "UsernameConfiguration",
    // "Updates are not allowed for property - UsernameConfiguration"
    source: "https://github.com/aws-amplify/amplify-cli/issues/4227",
    advice: 'set "caseSensitiveSignIn" in the file of the stage to what the pool was made with (docs/upgrading.md)',
  },
] as const;

/**
 * Returns the reasons why AWS would roll back an update from one template to another, one sentence each.
 *
 * @param before deployed template, as JSON
 * @param after template to deploy, as JSON
 */
export function refusedChanges(before: string, after: string): string[] {
  const [old, next] = [before, after].map((template) => v.parse(Template, JSON.parse(template)).Resources);
  return Object.entries(old ?? {}).flatMap(([id, { Type, Properties }]) => {
    const changed = next?.[id];
    if (changed?.Type !== Type) return [];
    return refused
      .filter(({ type }) => type === Type)
      .filter(({ property }) => JSON.stringify(Properties[property]) !== JSON.stringify(changed.Properties[property]))
      .map(({ property, source, advice }) => `AWS refuses to change ${property} of ${id} (${source}): ${advice}.`);
  });
}
