/** An error response of the pool: status 400 with the name of AWS's exception. */
export class Refusal extends Error {
  readonly type: string;

  /** @param type `__type` of the response, such as `NotAuthorizedException` */
  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

/** The refusal of a wrong password. It is the same for unknown users, so that it does not reveal who has an account. */
export const wrongCredentials = () => new Refusal("NotAuthorizedException", "Incorrect username or password.");

export const invalidParameter = (message: string) => new Refusal("InvalidParameterException", message);

export const missingParameter = (name: string) => invalidParameter(`Missing required parameter ${name}`);

export const userNotFound = () => new Refusal("UserNotFoundException", "User does not exist.");
