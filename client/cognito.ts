import { withTimeout } from "./time.ts";

/** A Cognito user pool and its app client. */
export type UserPool = {
  /** `eu-central-1_AbCdEfGhI` (output `UserPoolId`). */
  readonly userPoolId: string;
  /** Output `ClientId`. */
  readonly clientId: string;
  /** URL of a replacement for AWS's Cognito, such as `cognito_url` of the local stack. */
  readonly endpoint?: string;
};

/** An error of Cognito. */
export class SignInError extends Error {
  override readonly name = "SignInError";
  /** Name of Cognito's exception: `NotAuthorizedException`, `CodeMismatchException`, `UserNotConfirmedException`, … */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Whether Cognito has refused a password or a token. */
export const isRefusal = (error: unknown): error is SignInError =>
  error instanceof SignInError && error.code === "NotAuthorizedException";

/** The parts of responses from Cognito that the client uses. */
export type Answer = {
  readonly AuthenticationResult?: AuthenticationResult;
  readonly ChallengeName?: string;
  readonly ChallengeParameters?: Readonly<Record<string, string>>;
  readonly Session?: string;
  readonly SecretCode?: string;
  readonly CodeDeliveryDetails?: CodeDeliveryDetails;
  readonly CodeDeliveryDetailsList?: readonly CodeDeliveryDetails[];
};
type CodeDeliveryDetails = { readonly Destination?: string };
export type AuthenticationResult = {
  readonly AccessToken: string;
  readonly IdToken: string;
  readonly RefreshToken?: string;
  /** Seconds. */
  readonly ExpiresIn: number;
};

/**
 * Calls an operation of a pool.
 * @throws SignInError for an error of Cognito, TypeError if it cannot be reached, DOMException `TimeoutError`
 */
export type Ask = (operation: string, input: object) => Promise<Answer>;

/** Cognito's JSON protocol, for operations that need no AWS credentials. */
export function cognitoOf({ userPoolId, endpoint = endpointOf(userPoolId) }: UserPool): Ask {
  return (operation, input) =>
    withTimeout(timeout, undefined, async (signal) => {
      const response = await fetch(endpoint, {
        method: "POST",
        headers: {
          "content-type": "application/x-amz-json-1.1",
          "x-amz-target": `AWSCognitoIdentityProviderService.${operation}`,
        },
        body: JSON.stringify(input),
        signal,
      });
      const text = await response.text();
      const answer = (text.startsWith("{") ? JSON.parse(text) : {}) as Answer & { __type?: string; message?: string };
      if (response.ok) return answer;
      const { __type = "unknown", message = `Cognito answered ${response.status}` } = answer;
      throw new SignInError(__type.replace(/^.*#/, ""), message);
    });
}

/** Time limit of an operation in milliseconds. Cognito calls a trigger up to three times, for five seconds each. */
const timeout = 20_000;

const endpointOf = (userPoolId: string): string => `https://cognito-idp.${userPoolId.split("_")[0]}.amazonaws.com/`;
