import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { addApiCommand } from "./api-command.ts";
import { groups } from "./commands.ts";
import { contextOf, type Global, stageOf } from "./context.ts";
import { exitCodes, FailedPost, failureOf, linesOf } from "./failures.ts";
import { longCommands } from "./long-commands.ts";
import { signOut } from "./session.ts";
import { setUpTotp, signIn } from "./sign-in.ts";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  version: string;
};

/** Read before the arguments are parsed, because parsing may fail. */
const isForPrograms = process.argv.includes("--json");

/** The API that the command has called, for error messages. */
let apiUrl: string | undefined;
const context = () => contextOf(program.opts<Global>(), (opened) => (apiUrl = opened.apiUrl));

/** `npm run odis -- …`: the command line for operators and scripts. It uses the API with the rights of the caller. */
const program: Command = new Command("odis")
  .description("Operates Odis through its API, with the rights of the caller.")
  .version(version, "--version", "Print the version")
  .option("--api-url <url>", "URL of the API (default: ODIS_API_URL, or the URL of the session, or the local stack)")
  .option("--folder <folder>", "Folder of the local stack's data", ".odis")
  .option("--as <name>", "Demo user of the local stack: admin, editor, owner, other_owner, member or stranger")
  .option(
    "--json",
    "Print each record as one line of JSON, on a terminal too, and an error as one JSON object on standard error. Never prompt",
  )
  .option("--yes", "Do not ask for confirmation before money moves or data is deleted")
  .option("--quiet", "Do not show progress")
  .addHelpText(
    "after",
    `
The session is stored in the file that ODIS_CONFIG names, or else in ~/.config/odis/session.json. Use a file for each stage to
be signed in to several stages.

Exit codes: 0 success, ${exitCodes.failed} failure, ${exitCodes.usage} wrong usage, ${exitCodes.refused} refused by the API, ${exitCodes.unreachable} API unreachable, failing or at a rate limit: try again, ${exitCodes.interrupted} a POST was interrupted.`,
  )
  .addHelpText("afterAll", ({ command }) => (command === program ? "" : "\nOptions of all commands: odis --help"))
  // Errors are printed below, in one place.
  .configureOutput({
    outputError() {},
    writeErr: (help) => (isForPrograms ? undefined : process.stderr.write(help)),
  })
  .exitOverride();

program
  .command("sign-in")
  .summary("Sign in")
  .description(
    "Signs in, and stores the session for this user only. Asks for the password unless ODIS_PASSWORD is set.",
  )
  .requiredOption("--username <name>", "Email address, or the name of a user of the local stack")
  .option("--user-pool-id <id>", "Id of the user pool on AWS (output UserPoolId)")
  .option("--client-id <id>", "Id of the pool's client (output ClientId)")
  .action(async (options: { username: string; userPoolId?: string; clientId?: string }) => {
    const { json, print, ...place } = context();
    const file = await signIn({ ...place, ...options, json });
    if (json) print({ signed_in: options.username, session: file });
    else console.log(`Signed in. The session is kept in ${file}`);
  });

program
  .command("totp")
  .summary("Set up an authenticator app")
  .description("Sets up an authenticator app (TOTP) for the signed-in user. Admins need one.")
  .action(async () => {
    await setUpTotp(context().json);
    console.log(
      "The authenticator app is set up, and all sessions have ended. Wait 10 seconds, then sign in again with its next code.",
    );
  });

program
  .command("sign-out")
  .summary("Delete the stored session")
  .description("Deletes the stored session, and revokes its refresh token if Cognito can be reached.")
  .action(signOut);

program
  .command("whoami")
  .summary("Show the API and the caller")
  .description("Shows the API, its stage and the caller that a command with the same options would use.")
  .action(async () => {
    const { open, print, waiting } = context();
    const opened = await open();
    const { odis, apiUrl: api_url, caller, isKey } = opened;
    const [stage, me] = await waiting(() =>
      Promise.all([stageOf(opened), isKey ? undefined : odis.get("/odis/v1/me")]),
    );
    print({ api_url, stage, caller, ...(me && { user: me.user, groups: me.groups }) });
  });

for (const [name, { about, commands }] of Object.entries(groups)) {
  const group = program.command(name).description(about);
  for (const [commandName, command] of Object.entries(commands)) addApiCommand(group, commandName, command, context);
  for (const add of longCommands[name] ?? []) add(group, context);
}

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // A reader of the output may close it early, as `head` does.
  if (error.code !== "EPIPE") fail(error);
  process.exit();
});

try {
  await program.parseAsync();
} catch (error) {
  // Commander throws after it has printed help or the version, which is not an error.
  if (!(error instanceof CommanderError && error.exitCode === 0)) fail(error as Error);
  // A renewal of the token may go on, and Ctrl-C no longer ends the process.
  if (error instanceof FailedPost) process.exit();
}

function fail(error: Error): void {
  const failure = failureOf(error, apiUrl);
  process.exitCode = failure.exit_code;
  if (isForPrograms) console.error(JSON.stringify({ error: failure }));
  else for (const line of linesOf(failure)) console.error(line);
}
