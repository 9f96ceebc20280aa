import { randomUUID } from "node:crypto";
import type { Context } from "aws-lambda";

/** The context that Lambda passes to a function, without the callbacks that Node 24's runtime no longer has. */
export type LambdaContext = Omit<Context, "done" | "fail" | "succeed">;

/** Returns the context of an invocation that begins now. @param seconds time limit of the invocation */
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
