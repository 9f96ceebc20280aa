import { randomUUID } from "node:crypto";
import type { Context } from "aws-lambda";

/** What Lambda tells a function about its invocation, without the callbacks that Node 24's runtime no longer has. */
export type LambdaContext = Omit<Context, "done" | "fail" | "succeed">;

/** The context of an invocation that begins now, and may take some seconds. */
export function lambdaContext(functionName: string, seconds: number): LambdaContext {
  const deadline = performance.now() + seconds * 1000;
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName,
    functionVersion: "$LATEST",
    invokedFunctionArn: `arn:aws:lambda:local:000000000000:function:${functionName}`,
    memoryLimitInMB: "512",
    awsRequestId: randomUUID(),
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: "local",
    getRemainingTimeInMillis: () => Math.max(0, Math.round(deadline - performance.now())),
  };
}
