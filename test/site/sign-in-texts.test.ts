import { expect, it } from "vitest";
import { SignInError } from "../../client/odis.ts";
import { messageOf } from "../../site/club/src/texts.ts";
import { problemText } from "../../site/console/src/data/problem-text.ts";

it.each([
  ["Invalid session for the user, session is expired.", "This took too long. Sign in again."],
  ["Password attempts exceeded", "There were too many attempts. Wait a few minutes and try again."],
  ["User is disabled.", "This account is disabled."],
  ["Refresh Token has been revoked", "Refresh Token has been revoked."],
])("neither the console nor <odis-club> calls the password wrong if Cognito says: %s", (message, text) => {
  const error = new SignInError("NotAuthorizedException", message);
  expect(problemText(error)).toBe(text);
  expect(messageOf(error)).toBe(text);
});

it("the console and <odis-club> say that a password is wrong", () => {
  const error = new SignInError("NotAuthorizedException", "Incorrect username or password.");
  expect(problemText(error)).toBe("The email address or password is incorrect.");
  expect(messageOf(error)).toBe("That password is not right.");
});

it("the console and <odis-club> name the emailed code to a person who has to set a new password", () => {
  const error = new SignInError("PasswordResetRequiredException", "Password reset required for the user");
  expect(problemText(error)).toBe("This account needs a new password. Set it with the code that was emailed to you.");
  expect(messageOf(error)).toBe("You need a new password. Set it with the code that we have emailed to you.");
});
