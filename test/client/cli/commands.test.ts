import { expect, it } from "vitest";
import { routes } from "#lib/contract/index.ts";
import { type ApiCommand, argumentOf, groups } from "../../../client/cli/commands.ts";
import { fieldsOf } from "../../../client/cli/options.ts";

/** Routes without a command of their own, each with the reason. */
const others: Readonly<Record<string, string>> = {
  DiscoveryExplore: "for apps: operators list communities",
  MembersImportBatch: "members import sends it",
  MembershipShow: "for members",
  MembershipPaymentHistory: "for members: operators have members payments",
  MembershipCancelSubscription: "for members: operators cancel with members cancel",
  MembershipUncancelSubscription: "for members: operators have members uncancel",
  SubscriptionsChangeOwn: "for members: operators have members change",
  SubscriptionsDropOwnScheduledChange: "for members: operators have members drop-change",
  MeShow: "whoami sends it",
  MeData: "for members: operators export anybody",
  MeErase: "for members: operators erase anybody",
  CheckoutCreateSession: "for members",
  CheckoutCreatePortalSession: "for members",
  WebhooksStripe: "for Stripe",
  SystemHealth: "whoami sends it",
  SystemFallback: "for what is no route",
};

const commands = Object.entries(groups).flatMap(([group, { commands: byName }]) =>
  Object.entries(byName).map(([name, command]) => ({ name: `${group} ${name}`, ...command })),
);

it("every route has a command, or a reason why it has none", () => {
  const keyOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
  const called = new Set(commands.map(({ route }) => keyOf(route)));
  expect(
    routes
      .filter((route) => !called.has(keyOf(route)))
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(Object.keys(others).toSorted());
});

it("every command that refunds, changes what is billed, erases or deletes asks first", () => {
  const asking = commands.filter(({ isConfirmed }) => isConfirmed).map(({ name }) => name);
  expect(asking.toSorted()).toEqual([
    "benefits delete",
    "brands delete",
    "destinations delete",
    "keys revoke",
    "members cancel",
    "members change",
    "members drop-change",
    "members refund",
    "members refund-charge",
    "members uncancel",
    "people erase",
    "team decline",
    "team remove",
    "tiers delete",
  ]);
});

const optionsOf = (command: ApiCommand) =>
  fieldsOf(command.route, argumentOf(command)).flatMap((field) => field.options);

it("every command about a community names it with the option --community", () => {
  const isOfCommunity = ({ route: { path } }: ApiCommand) => path.includes("/communities/{");
  for (const { name, ...command } of commands.filter(isOfCommunity))
    expect({ name, flags: optionsOf(command).map(({ flags }) => flags) }).toMatchObject({
      name,
      flags: expect.arrayContaining(["--community <id>"]),
    });
});

it.each([
  ["tiers create", ["--community <id>", "--name <text>", "--badge <text>", "--monthly-price-dollars <number>"]],
  [
    "members list",
    ["--community <id>", "--status <value>", "--tier <id>", "--blocked", "--no-blocked", "--query <text>"],
  ],
  ["members refund-charge", ["--community <id>", "--charge <id>", "--amount-cents <number>", "--reason <value>"]],
  ["members edit", ["--community <id>", "--shipping-address <json>", "--metadata <json>"]],
  ["communities show", ["--community <id>"]],
  ["communities stats", ["--community <id>"]],
  [
    "communities series",
    ["--community <id>", "--metric <value>", "--interval <value>", "--from <text>", "--to <text>"],
  ],
  ["brands create", ["--producer <id>", "--name <text>", "--producers <a,b>"]],
  ["people erase", ["--dry-run", "--cancel-subscriptions"]],
  ["transactions list", ["--community <id>", "--type <value>", "--status <value>", "--from <text>", "--to <text>"]],
  ["movements list", ["--community <id>", "--access <value>", "--kind <value>", "--from <text>", "--to <text>"]],
  ["communities activity", ["--community <id>", "--actor <id>", "--type <value>", "--from <text>", "--to <text>"]],
  ["events list", ["--community <id>", "--after <text>", "--type <value>"]],
  ["events resend", ["--deliveries <a,b>", "--since <text>", "--until <text>", "--status <value>"]],
])("the options of %s follow from its route", (name, flags) => {
  const command = commands.find((one) => one.name === name);
  const options = command ? optionsOf(command) : [];
  expect(options.map((option) => option.flags)).toEqual(expect.arrayContaining(flags));
  for (const { description } of options) expect(description).toMatch(/^[A-Z].*\.$/);
});

it.each([
  ["destinations resend", "--destination <id>", "Id of the event destination. Required."],
  ["members show", "--community <id>", "Id of the community. Required."],
  ["brands show", "--producer <id>", "Id of the producer. Required."],
])("the help of %s says what %s identifies", (name, flags, text) => {
  const command = commands.find((one) => one.name === name);
  const options = command ? optionsOf(command) : [];
  expect(options.find((option) => option.flags === flags)?.description).toBe(text);
});
