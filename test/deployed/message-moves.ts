import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListQueuesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import * as v from "valibot";
import { headerOf, type Serving, serve } from "../../tools/local/loopback.ts";

const StartMessageMoveTask = v.object({ SourceArn: v.string() });

/**
 * Serves the call StartMessageMoveTask, which ministack does not support: moves the messages of a dead-letter queue to a queue
 * that sends its dead letters there.
 */
export function startMessageMoves(): Promise<Serving> {
  const sqs = new SQSClient();

  async function sourceOf(arn: string): Promise<string | undefined> {
    const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand());
    for (const QueueUrl of QueueUrls) {
      const { Attributes: { RedrivePolicy = "" } = {} } = await sqs.send(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["RedrivePolicy"] }),
      );
      if (RedrivePolicy.includes(arn)) return QueueUrl;
    }
    return undefined;
  }

  async function move(arn: string): Promise<void> {
    const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: arn.split(":").at(-1) }));
    const source = await sourceOf(arn);
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
    for (const { Body: MessageBody, ReceiptHandle } of Messages) {
      await sqs.send(new SendMessageCommand({ QueueUrl: source, MessageBody }));
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
  }

  return serve({ port: 0, maxBodyBytes: 10_000 }, async (request) => {
    const headers = [["content-type", "application/x-amz-json-1.0"]] as const;
    if (headerOf(request, "x-amz-target") !== "AmazonSQS.StartMessageMoveTask")
      return { status: 400, headers, body: '{"__type":"UnsupportedOperation"}' };
    await move(v.parse(StartMessageMoveTask, JSON.parse(String(request.body))).SourceArn);
    return { status: 200, headers, body: '{"TaskHandle":"task"}' };
  });
}
