import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startDemoStack } from "../../tools/local/demo-stack.ts";
import { freePort } from "../../tools/local/dynamodb/process.ts";
import { findings, useBrowser } from "../support/browser.ts";
import { hasBrowser } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import { quickStart, steps } from "../support/guide.ts";
import { temporaryFolder } from "../support/set-up.ts";

const folder = temporaryFolder();
let stack: Awaited<ReturnType<typeof startDemoStack>>;
let example: ChildProcess;
let output = "";
let url: string;

beforeAll(async () => {
  stack = await startDemoStack({ port: 0, folder });
  const port = await freePort();
  // Runs the guide's start command. Its other commands are not needed: the packages are installed, and the stack of
  // this test runs.
  const command = quickStart().find((line) => line.startsWith("npm run")) ?? "";
  example = spawn("bash", ["-c", `exec ${command} -- --port ${port} --folder ${folder}`], { detached: true });
  for (const stream of [example.stdout, example.stderr])
    stream?.on("data", (data: Buffer) => (output += data.toString()));
  url = `http://localhost:${port}`;
  await eventually(async () => {
    if (example.exitCode !== null) throw new Error(output);
    await fetch(url);
  });
});
afterAll(async () => {
  // Ends the process group of npm, its shell and the server.
  if (example.pid !== undefined && example.exitCode === null) {
    process.kill(-example.pid);
    await once(example, "exit");
  }
  await stack.stop();
});

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true });

/** Number of people created so far. Each run of the steps uses a new person. */
let people = 0;

/** The steps of the guide, each with a function that performs it and waits for the expected page. */
const walk: readonly [step: string, act: (page: Page) => Promise<void>][] = [
  [
    "Choose **Mezcal Circle**. Each tier shows its price and its benefits.",
    async (page) => {
      await page.getByRole("link", { name: "Mezcal Circle" }).click();
      const tier = page.getByRole("listitem").filter({ has: heading(page, "Barrel Owner") });
      await tier.getByText("Two bottles a season").waitFor();
      expect(await tier.innerText()).toContain("$25");
    },
  ],
  [
    "Press **Join Agave Friend**. You are asked to create an account first.",
    async (page) => {
      await button(page, "Join Agave Friend").click();
      await heading(page, "Create your account").waitFor();
    },
  ],
  [
    "Fill in the form and press **Create account**.",
    async (page) => {
      await page.getByLabel("First name").fill("Rosa");
      await page.getByLabel("Last name").fill("Blanca");
      await page.getByLabel("E-mail").fill(`rosa${people++}@example.com`);
      await page.getByLabel("Password").fill("Rosa-likes-agave-1");
      await button(page, "Create account").click();
      await heading(page, "Check your email").waitFor();
    },
  ],
  [
    "Enter the code `000000`, as the local stack sends no email, and press **Confirm**. The checkout page of the stand-in for Stripe opens.",
    async (page) => {
      await page.getByLabel("Code of six digits").fill("000000");
      await button(page, "Confirm").click();
      await heading(page, "Subscribe to Agave Friend").waitFor();
    },
  ],
  [
    "Press **Pay with a card that is declined** to see a failed payment, then **Pay $10.00**.",
    async (page) => {
      await button(page, "Pay with a card that is declined").click();
      await page.getByRole("alert").getByText("declined").waitFor();
      await button(page, "Pay $10.00").click();
      await page.getByText("Welcome, Rosa").waitFor();
      expect(new URL(page.url()).search).toBe("?c=mezcal-circle");
    },
  ],
  [
    "You are a member: the page shows the benefits of your tier, and a text for members only.",
    async (page) => {
      await page.getByText("Welcome inside").waitFor();
      await heading(page, "Monthly tasting notes").waitFor();
    },
  ],
  [
    "Open **My account** and press **Card and address**. It opens the billing portal.",
    async (page) => {
      await button(page, "My account").click();
      await page.getByText("Active", { exact: true }).waitFor();
      await button(page, "Card and address").click();
      await heading(page, "Your subscriptions").waitFor();
    },
  ],
  [
    "Press the button that says **Cancel on** and a date, then **Return**. The membership now shows when it ends.",
    async (page) => {
      await button(page, /^Cancel on /).click();
      await button(page, "Do not cancel").waitFor();
      await page.getByRole("link", { name: "Return" }).click();
      await page.getByText(/Ends on/).waitFor();
    },
  ],
  [
    "Press **Sign out**.",
    async (page) => {
      await button(page, "Sign out").click();
      await button(page, "Sign in").waitFor();
    },
  ],
];

it("this test performs exactly the steps of the guide", () => {
  expect(steps()).toEqual(walk.map(([step]) => step));
});

describe.skipIf(!hasBrowser("the example front end"))("the example front end in Chromium", () => {
  const browser = useBrowser(/status of 40[0-4]|net::ERR_FAILED/);

  /** Accessibility findings of the current page, and whether the page is wider than the window. */
  async function faults(page: Page): Promise<string[]> {
    const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
    return [...(await findings(page)), ...(overflow > 0 ? [`${page.url()} is ${overflow} px too wide`] : [])];
  }

  it.each([
    ["a desktop", { width: 1366, height: 800 }, "light"],
    ["a phone in the dark", { width: 390, height: 844 }, "dark"],
  ] as const)("a new person joins, pays and cancels as in the guide on %s", async (_, size, colorScheme) => {
    const { page } = browser;
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.goto(url);
    for (const [step, act] of walk) {
      await act(page);
      expect([step, ...(await faults(page))]).toEqual([step]);
    }
  });

  const open = async (path: string) => {
    await browser.page.goto(url + path);
    return browser.page;
  };

  it("a member cancels, takes it back, sees receipts, changes the account, and deletes it although the subscription is live", async () => {
    const { page } = browser;
    await page.goto(url);
    const isBeforePortal = walk.findIndex(([step]) => step.includes("Card and address"));
    for (const [, act] of walk.slice(0, isBeforePortal)) await act(page);
    await button(page, "My account").click();
    await page.getByText(/Renews on/).waitFor();

    await button(page, "Cancel").click();
    expect(await faults(page)).toEqual([]);
    await button(page, "Cancel membership").click();
    await page.getByText(/Ends on/).waitFor();
    await button(page, "Keep membership").click();
    await page.getByText(/Renews on/).waitFor();

    const receipt = page.getByRole("listitem").filter({ hasText: "$10 · paid" }).last();
    await receipt.waitFor();
    expect(await receipt.getByRole("link").allInnerTexts()).toEqual(["Receipt", "PDF"]);

    await page.getByText("Name", { exact: true }).click();
    await page.getByLabel("First name").fill("Rosalía");
    await button(page, "Change name").click();
    await page.getByText("Your name was changed.").waitFor();
    await page.getByText("Rosalía Blanca").waitFor();
    await page.getByText("Password", { exact: true }).click();
    await page.getByLabel("Password until now").fill("Rosa-likes-agave-1");
    await page.getByLabel("New password").fill("Rosa-likes-agave-2");
    await button(page, "Change password").click();
    await page.getByText("Your password was changed.").waitFor();
    await page.getByText("E-mail", { exact: true }).click();
    await page.getByLabel("New e-mail").fill(`rosalia${people}@example.com`);
    await button(page, "Send a code").click();
    await page.getByLabel(/^Code sent to/).fill("000000");
    await button(page, "Confirm e-mail").click();
    await page.getByText(`Signed in as rosalia${people}@example.com`).waitFor();

    await page.getByText("Delete account", { exact: true }).click();
    await button(page, "See what is deleted").click();
    await page.getByText("This cancels, now and without a refund: Agave Friend.").waitFor();
    expect(await faults(page)).toEqual([]);
    await button(page, "Delete my account").click();
    await page.getByText("Your account was deleted.").waitFor();
    await button(page, "Sign in").waitFor();
  });

  it("a search without results says that nothing was found", async () => {
    const page = await open("/");
    await page.getByLabel("Search by name").fill("nothing like it");
    await page.getByRole("status").getByText("Nothing called “nothing like it”").waitFor();
    expect(await faults(page)).toEqual([]);
  });

  const club = "/club.html?c=mezcal-circle";
  const signIn = async (page: Page, email: string, password = "Odis-local-1") => {
    await button(page, "Sign in").click();
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password").fill(password);
    await button(page, "Sign in").click();
  };

  it("a visitor does not see what is for members only, and does after signing in", async () => {
    const page = await open(club);
    const inside = page.getByText("Welcome inside");
    await button(page, "Join Agave Friend").waitFor();
    expect(await inside.isVisible()).toBe(false);
    await signIn(page, "member@example.com", "wrong");
    await page.getByRole("alert").getByText("That password is not right.").waitFor();
    expect(await faults(page)).toEqual([]);
    await page.getByLabel("Password").fill("Odis-local-1");
    await button(page, "Sign in").click();
    await inside.waitFor();
    await page.reload();
    await heading(page, "Your name on a barrel").waitFor();
    expect(await button(page, "Join Agave Friend").count()).toBe(0);
  });

  it("a network failure while the page loads does not sign anybody out", async () => {
    const page = await open(club);
    await signIn(page, "member@example.com");
    await page.getByText("Welcome inside").waitFor();
    await page.route(`${stack.local.cognito_url}/**`, (route) => route.abort());
    await page.reload();
    await page.getByText("Welcome inside").waitFor();
    const me = `${stack.local.api_url}/odis/v1/me`;
    await page.route(me, (route) => route.abort());
    await page.reload();
    await heading(page, "Your membership could not be loaded").waitFor();
    expect(await faults(page)).toEqual([]);
    await page.unroute(me);
    await button(page, "Try again").click();
    await page.getByText("Welcome inside").waitFor();
  });

  it("a sign-in and a sign-out in one tab take effect in the other", async () => {
    const page = await open(club);
    const opening = page.waitForEvent("popup");
    await page.evaluate(`void open("${club}")`);
    const other = await opening;
    await signIn(page, "member@example.com");
    await button(other, "My account").click();
    await button(other, "Sign out").click();
    await button(page, "Sign in").waitFor();
    expect(await page.evaluate("localStorage.length")).toBe(0);
    await other.close();
  });

  it("the page after the checkout stops polling for access after 20 seconds, says so, and leads back to the tiers", async () => {
    const { page } = browser;
    const { id } = stack.local.communities.find(({ slug }) => slug === "mezcal-circle") ?? {};
    await page.clock.install();
    await open(`${club}&odis-club=joined-${id}`);
    const answered = page.waitForResponse(/\/membership$/);
    await signIn(page, "stranger@example.com");
    await heading(page, "Confirming your payment").waitFor();
    await answered;
    await page.clock.runFor(21_000);
    await heading(page, "Your payment is not confirmed yet").waitFor();
    expect(await faults(page)).toEqual([]);
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await page.clock.runFor(60_000);
    expect(requests).toEqual([]);
    await button(page, "Check again").click();
    await heading(page, "Confirming your payment").waitFor();
    await page.clock.runFor(21_000);
    await button(page, "Back to the tiers").click();
    await button(page, "Join Agave Friend").waitFor();
    expect(page.url()).not.toContain("joined");
  });

  it("a person replaces a forgotten password", async () => {
    const page = await open(club);
    await button(page, "Sign in").click();
    await button(page, "Forgot your password?").click();
    await page.getByLabel("E-mail").fill("stranger@example.com");
    await button(page, "Send the code").click();
    await page.getByLabel("Code of six digits").fill("000000");
    await page.getByLabel("New password").fill("Another-password-1");
    await button(page, "Set the password").click();
    await page.getByText("Your new password is set").waitFor();
    await page.getByLabel("E-mail").fill("stranger@example.com");
    await page.getByLabel("Password").fill("Another-password-1");
    await button(page, "Sign in").click();
    await button(page, "My account").click();
    await page.getByText("You have not joined this community yet.").waitFor();
    expect(await faults(page)).toEqual([]);
  });

  it.each([
    ["/club.html?c=nothing", "There is no such community"],
    ["/nothing/at/all", "There is nothing here"],
  ])("the example front end shows for %s: %s", async (path, title) => {
    await heading(await open(path), title).waitFor();
    expect(await faults(browser.page)).toEqual([]);
  });

  it.each([
    ["/", "communities/explore", "We could not reach the server.", "Mezcal Circle"],
    [club, "odis.json", "The club could not be loaded", "Agave Friend"],
  ])("the page %s says that a server cannot be reached, and offers a retry", async (path, request, text, content) => {
    const { page } = browser;
    let isDown = true;
    await page.route(new RegExp(request), (route) => (isDown ? route.fulfill({ status: 404 }) : route.continue()));
    await page.goto(url + path);
    await page.getByText(text).waitFor();
    expect(await faults(page)).toEqual([]);
    isDown = false;
    await button(page, "Try again").click();
    await page.getByText(content).first().waitFor();
  });
});
