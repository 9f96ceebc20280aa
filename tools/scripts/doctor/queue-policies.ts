import { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { GetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import * as v from "valibot";
import { sqsClient } from "#lib/aws.ts";
import type { Check, Fault } from "./check.ts";
import { readRules, ruleName } from "./rules.ts";
import { type CheckedStack, resourcesOf } from "./stack.ts";
import { namesOf, templateResources } from "./template.ts";

/** The policies of a queue. */
export type QueuePolicy = {
  /** Id of the queue in the template. */
  readonly id: string;
  readonly url: string;
  /** Policy in the template, with ARNs. */
  readonly expected: string;
  /** Undefined if it was removed. */
  readonly deployed: string | undefined;
};

const statementsOf = (policy = '{"Statement":[]}') => v.parse(Policy, JSON.parse(policy)).Statement.length;
const Policy = v.object({ Statement: v.array(v.unknown()) });

/** Queues whose policy was removed, or lacks statements of the template. */
export const queuePolicyFaults = (policies: readonly QueuePolicy[]): readonly Fault[] =>
  policies
    .filter(({ expected, deployed }) => statementsOf(deployed) < statementsOf(expected))
    .map(({ id, url, expected }) => ({
      says: `The policy of the queue ${id} lacks statements of the template, so events may not reach it.`,
      command: `aws sqs set-queue-attributes --queue-url ${url} --attributes '${JSON.stringify({ Policy: expected })}'`,
    }));

/** Replaces references to ARNs by the ARNs. @throws Error if one is not known */
function withArns(value: unknown, arns: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => withArns(item, arns));
  if (typeof value !== "object" || value === null) return value;
  if (v.is(ArnOf, value)) {
    const arn = arns.get(value["Fn::GetAtt"][0]);
    if (arn === undefined) throw new Error(`the template has no queue or rule ${value["Fn::GetAtt"][0]}`);
    return arn;
  }
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withArns(item, arns)]));
}
const ArnOf = v.object({ "Fn::GetAtt": v.tuple([v.string(), v.literal("Arn")]) });

const Properties = v.object({ Queues: v.array(v.object({ Ref: v.string() })), PolicyDocument: v.unknown() });

async function look(stack: CheckedStack): Promise<readonly Fault[]> {
  const queues = await Promise.all(
    resourcesOf(stack, "AWS::SQS::Queue").map(async ({ id, name: QueueUrl }) => {
      const { Attributes: { QueueArn = "", Policy: deployed } = {} } = await sqsClient().send(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["QueueArn", "Policy"] }),
      );
      return { id, QueueArn, deployed };
    }),
  );
  const rules = await readRules(stack, new EventBridgeClient());
  const ruleArn = (name: string) => rules.find(({ Name }) => Name === ruleName(name))?.Arn ?? "";
  const arns = new Map([
    ...queues.map(({ id, QueueArn }) => [id, QueueArn] as const),
    ...resourcesOf(stack, "AWS::Events::Rule").map(({ id, name }) => [id, ruleArn(name)] as const),
  ]);
  const names = namesOf(stack);
  const policies = (await templateResources(stack, "AWS::SQS::QueuePolicy")).flatMap(({ properties }) => {
    const { Queues, PolicyDocument } = v.parse(Properties, properties);
    return Queues.map(({ Ref: id }) => ({
      id,
      url: names.get(id) ?? "",
      expected: JSON.stringify(withArns(PolicyDocument, arns)),
      deployed: queues.find((queue) => queue.id === id)?.deployed,
    }));
  });
  return queuePolicyFaults(policies);
}

export const queuePolicies: Check = { name: "policies of queues", look };
