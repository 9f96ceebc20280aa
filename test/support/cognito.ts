/** Calls an operation of the stand-in for Cognito, like an app. */
export async function askCognito({ url }: { readonly url: string }, operation: string, input: unknown) {
  const answer = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/x-amz-json-1.1",
      "x-amz-target": `AWSCognitoIdentityProviderService.${operation}`,
    },
    body: typeof input === "string" ? input : JSON.stringify(input),
  });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, unknown> };
}
