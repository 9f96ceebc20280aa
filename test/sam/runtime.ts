import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * A replacement for Lambda's Node.js runtime, which is native code. Polls the runtime API of the emulator for events,
 * calls `index.handler` in `LAMBDA_TASK_ROOT`, and returns the result or the error.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 */
const { AWS_LAMBDA_RUNTIME_API = "", LAMBDA_TASK_ROOT = "", AWS_LAMBDA_FUNCTION_NAME = "" } = process.env;

type Answer = { readonly headers: IncomingMessage["headers"]; readonly body: string };

const ask = (method: "GET" | "POST", path: string, body?: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const asked = request(`http://${AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/${path}`, { method }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.once("end", () => resolve({ headers: answer.headers, body: Buffer.concat(chunks).toString() }));
    });
    asked.once("error", reject).end(body);
  });

const described = ({ name, message, stack = "" }: Error) =>
  JSON.stringify({ errorType: name, errorMessage: message, trace: stack.split("\n") });

type Handler = (event: unknown, context: object) => Promise<unknown>;
const { handler } = (await import(pathToFileURL(join(LAMBDA_TASK_ROOT, "index.mjs")).href).catch(
  async (error: Error) => {
    await ask("POST", "init/error", described(error));
    throw error;
  },
)) as { readonly handler: Handler };

for (;;) {
  const { headers, body } = await ask("GET", "invocation/next");
  const id = String(headers["lambda-runtime-aws-request-id"]);
  const deadline = Number(headers["lambda-runtime-deadline-ms"]);
  const context = {
    awsRequestId: id,
    functionName: AWS_LAMBDA_FUNCTION_NAME,
    getRemainingTimeInMillis: () => deadline - Date.now(),
  };
  try {
    const answer = await handler(JSON.parse(body), context);
    await ask("POST", `invocation/${id}/response`, JSON.stringify(answer ?? null));
  } catch (error) {
    await ask("POST", `invocation/${id}/error`, described(error as Error));
  }
}
