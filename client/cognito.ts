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

/**
 * Name of Cognito's exception: `NotAuthorizedException`, `CodeMismatchException`, `UserNotConfirmedException`, … Or
 * `UnprovenAccount`: the address has a profile or an invitation, and somebody else may have chosen the password. The person
 * signs in once they have set a new one with `forgotPassword` and `resetPassword`.
 */
export type SignInErrorCode = "UnprovenAccount" | (string & Record<never, never>);

/** An error of Cognito, or of Odis when Cognito asks it for a token. */
export class SignInError extends Error {
  override readonly name = "SignInError";
  readonly code: SignInErrorCode;

  constructor(code: SignInErrorCode, message: string) {
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
      // The message of the trigger (lib/store/sign-in.ts), in that of Cognito.
      const [unproven] = /A profile or an .* sign in/.exec(message) ?? [];
      throw unproven
        ? new SignInError("UnprovenAccount", unproven)
        : new SignInError(__type.replace(/^.*#/, ""), message);
    });
}

/** Time limit of an operation in milliseconds. Cognito calls a trigger up to three times, for five seconds each. */
const timeout = 20_000;

const endpointOf = (userPoolId: string): string => `https://cognito-idp.${userPoolId.split("_")[0]}.amazonaws.com/`;
