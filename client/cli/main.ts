import { writeFile } from "node:fs/promises";
import { Command, InvalidArgumentError } from "commander";
import { type Odis, OdisProblem } from "../odis.ts";
import { brandImport } from "./brands.ts";
import { importFile, type Kind } from "./import.ts";
import { placesOf } from "./journal.ts";
import { actions, exportMembers, type MemberPath, memberImport } from "./members.ts";
import { erasePerson, exportPerson } from "./people.ts";
import { progressOf } from "./progress.ts";
import { openOdis, type Place, signOut } from "./session.ts";
import { setUpTotp, signIn } from "./sign-in.ts";

/** `npm run odis -- …`: the command line for operators and scripts. It uses the API with the rights of the caller. */
const program = new Command("odis")
  .description("Operates Odis through its API, with the permissions of the caller.")
  .option("--api-url <url>", "URL of the API (default: ODIS_API_URL, or the URL of the session, or the local stack)")
  .option("--folder <folder>", "Folder of the local stack's data", ".odis")
  .option("--as <name>", "Caller on the local stack: admin, editor, owner, other_owner, member or stranger", "admin")
  .option("--quiet", "Do not show progress", false)
  .showHelpAfterError()
  .configureHelp({ showGlobalOptions: true });

type Global = Place & { readonly quiet: boolean };
const given = (): Global => program.opts<Global>();
const open = () => openOdis(given());

const print = (value: unknown): void => console.log(JSON.stringify(value, null, 2));

function integer(text: string): number {
  if (!/^[1-9]\d{0,15}$/.test(text)) throw new InvalidArgumentError("must be a positive integer");
  return Number(text);
}

program
  .command("sign-in")
  .description("Signs in and stores the session privately. Asks for the password unless ODIS_PASSWORD is set")
  .requiredOption("--username <name>", "Email address, or username on the local stack")
  .option("--user-pool-id <id>", "Id of the user pool, for a deployed stack (output UserPoolId)")
  .option("--client-id <id>", "Id of the app client of the user pool (output ClientId)")
  .action(async (options: { username: string; userPoolId?: string; clientId?: string }) => {
    console.log(`Signed in. The session is stored in ${await signIn({ ...given(), ...options })}`);
  });

program
  .command("totp")
  .description("Sets up an authenticator app (TOTP) for the user who is signed in. Admins need one")
  .action(async () => {
    await setUpTotp();
    console.log("The authenticator app is set up. From now on, sign-in asks for a code from the app.");
  });

program.command("sign-out").description("Deletes the stored session").action(signOut);

const members = program.command("members").description("Manages the members of a community");
type OfCommunity = { readonly community: number };
const ofCommunity = (name: string, description: string) =>
  members.command(name).description(description).requiredOption("--community <id>", "Id of the community", integer);

ofCommunity("list", "Lists members, one line of JSON each")
  .option(
    "--status <status>",
    "Only members with this status: active, trialing, past_due, unpaid, canceled or incomplete",
  )
  .option("--tier <id>", "Only members with this tier", integer)
  .option("--blocked", "Only blocked members")
  .option("--query <text>", "Only members whose email address, username, first or last name starts with this text")
  .option("--limit <count>", "Maximum number of members", integer, 100)
  .action(async (options: Parameters<typeof actions.list>[1]) => {
    for await (const member of actions.list(await open(), options)) console.log(JSON.stringify(member));
  });

/** A command about one member. It prints the response of the API. */
const ofMember = (
  name: string,
  description: string,
  act: (odis: Odis, path: MemberPath, options: object) => Promise<unknown>,
) =>
  ofCommunity(name, description)
    .argument("<id>", "Id of the member", integer)
    .action(async (id: number, options: OfCommunity) =>
      print(await act(await open(), { community_id: options.community, id }, options)),
    );

ofMember("show", "Shows a member", actions.show);
ofMember("block", "Ends a member's access, but not the subscription", actions.block).option(
  "--reason <text>",
  "Reason for the block",
);
ofMember("unblock", "Restores a blocked member's access", actions.unblock);
ofMember("refund", "Refunds a member's charge", actions.refund)
  .option("--amount-cents <cents>", "Amount to refund (default: the remaining amount of the charge)", integer)
  .option("--charge <id>", "Stripe id of the charge (default: the latest refundable charge)")
  .option("--reason <reason>", "requested_by_customer, duplicate or fraudulent (default: requested_by_customer)")
  .option("--note <text>", "Note that is stored with the refund")
  .option("--key <key>", "Idempotency key: repeating the command with the same key refunds only once");
ofMember("cancel", "Cancels a member's subscription at the end of the period", actions.cancel)
  .option("--immediately", "Cancel immediately instead")
  .option("--comment <text>", "Comment that is stored with the cancellation");

ofCommunity("export", "Exports all members as JSON Lines, or as CSV if the file name ends in .csv")
  .option("--out <file>", "File to write (default: standard output)")
  .action(async ({ community, out }: OfCommunity & { readonly out?: string }) => {
    const progress = progressOf("members", given().quiet || out === undefined);
    const count = await exportMembers(await open(), community, { file: out, progress });
    console.error(`${count} members`);
  });

type Import = { readonly dryRun: boolean; readonly fresh: boolean; readonly concurrency: number };
const importing = (command: Command) =>
  command
    .argument("<file>", "File to import: CSV if its name ends in .csv, JSON Lines otherwise")
    .option("--dry-run", "Only check the rows, without sending anything", false)
    .option("--fresh", "Start with the first row instead of resuming an interrupted import", false)
    .option("--concurrency <count>", "Number of concurrent requests", integer, 4);

importing(ofCommunity("import", "Imports members. Resumes after an interruption")).action(
  async (file: string, options: Import & OfCommunity) =>
    run(file, memberImport(await open(), options.community), options),
);

const people = program.command("people").description("Exports and erases a person's data. For admins only");

people
  .command("export")
  .description("Exports all data stored about a person as JSON")
  .argument("<id>", "Id of the user", integer)
  .option("--out <file>", "File to write (default: standard output)")
  .action(async (id: number, { out }: { readonly out?: string }) => {
    const text = `${JSON.stringify(await exportPerson(await open(), id), null, 2)}\n`;
    if (out === undefined) process.stdout.write(text);
    else await writeFile(out, text, { mode: 0o600 });
  });

people
  .command("erase")
  .description("Erases a person. This cannot be undone")
  .argument("<id>", "Id of the user", integer)
  .option("--dry-run", "Only print the data that would be erased, and any reasons that prevent it", false)
  .action(async (id: number, { dryRun }: { readonly dryRun: boolean }) =>
    print(await erasePerson(await open(), id, dryRun)),
  );

const brands = program.command("brands").description("Lists and imports the brands of a producer");
const ofProducer = (name: string, description: string) =>
  brands.command(name).description(description).requiredOption("--producer <uuid>", "Id of the producer");

ofProducer("list", "Lists brands, one line of JSON each").action(async ({ producer }: { producer: string }) => {
  for await (const brand of actions.brands(await open(), producer)) console.log(JSON.stringify(brand));
});

importing(ofProducer("import", "Imports brands. Resumes after an interruption")).action(
  async (file: string, options: Import & { producer: string }) =>
    run(file, brandImport(await open(), options.producer), options),
);

/** Imports a file and prints the outcome. Exits with 1 if rows were refused. */
async function run(file: string, kind: Kind, { dryRun: isDryRun, fresh: isFresh, concurrency }: Import): Promise<void> {
  const begun = performance.now();
  const progress = progressOf("rows", given().quiet);
  const counts = await importFile(file, kind, { isDryRun, isFresh, concurrency }, progress);
  const seconds = (performance.now() - begun) / 1000;
  const { created, updated, unchanged, refused } = counts;
  const told = isDryRun
    ? `${created} would be sent, ${refused} would be refused`
    : `${created} created, ${updated} updated, ${unchanged} unchanged, ${refused} refused`;
  console.log(`${told} (${seconds.toFixed(1)} s)`);
  if (refused === 0) return;
  if (!isDryRun) console.log(`The refused rows and their errors are listed in ${placesOf(file).report}`);
  process.exitCode = 1;
}

function described(error: Error): string {
  const { message, cause } = error;
  if (error instanceof OdisProblem) return `${error.code}: ${message} (request ${error.requestId ?? "unknown"})`;
  // A connection that fails is "fetch failed", and its cause says why.
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}

try {
  await program.parseAsync();
} catch (error) {
  console.error(described(error as Error));
  for (const { pointer, parameter, message: why } of error instanceof OdisProblem ? error.errors : [])
    console.error(`  ${pointer ?? parameter}: ${why}`);
  process.exitCode = 1;
}
