import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Member, TransactionPage } from "../../client/schema.ts";
import { people } from "../../tools/local/demo/people.ts";
import {
  ask,
  button,
  dialog,
  done,
  fullName,
  hasConsole,
  heading,
  isActive,
  local,
  members,
  memberWho,
  open,
  paidMember,
  useConsole,
} from "./console.ts";

const community = "/odis/v1/communities/1";
const overview = "#/communities/1";

/** Who does the jobs: the owner, and people of the demo who join the team for it. */
const roles = { owner: "owner", manager: "other_owner", support: "member" } as const;
const team = [roles.manager, roles.support] as const;

/** Something that a person wants to do, starting at the overview of their community. */
type Job = {
  readonly role: keyof typeof roles;
  /** The wish in one sentence. */
  readonly wish: string;
  /** The most clicks and choices that it may take. Typing is not counted. */
  readonly clicks: number;
  readonly work: (page: Page) => Promise<unknown>;
};

const area = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name, exact: true }).click();

/** Opens the page of a member by a search. */
async function find(page: Page, member: Member): Promise<void> {
  await area(page, "Members");
  await page.getByLabel("Search").fill(member.user.email || fullName(member));
  await page.waitForURL(/query=/);
  await page.locator(`[aria-busy="false"] a[href$="/members/${member.id}"]`).click();
  await heading(page, fullName(member)).waitFor();
}

const confirm = (page: Page, name: string) => dialog(page).getByRole("button", { name, exact: true }).click();

/** A member like this whom no other job uses. @throws Error if there is none */
async function another(isLike: (member: Member) => boolean): Promise<Member> {
  const member = (await members()).find((one) => isLike(one) && !used.has(one.id));
  if (!member) throw new Error("The demo has no other member like this");
  used.add(member.id);
  return member;
}
const used = new Set<number>();

const download = async (page: Page, name: string): Promise<void> => {
  const saved = page.waitForEvent("download");
  await button(page, name).click();
  await saved;
};

const jobs: readonly Job[] = [
  {
    role: "owner",
    wish: "An owner wants to know who has not paid",
    clicks: 1,
    async work(page) {
      const line = page.getByRole("link", { name: /payments? overdue$/ });
      const count = Number.parseInt(await line.innerText(), 10);
      await line.click();
      await page.getByText(`${count} member${count === 1 ? "" : "s"}`, { exact: true }).waitFor();
    },
  },
  {
    role: "owner",
    wish: "An owner wants to send somebody the link to pay an overdue payment",
    clicks: 3,
    async work(page) {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      const member = await memberWho(({ status, is_blocked }) => status === "past_due" && !is_blocked);
      await page.getByRole("link", { name: /payments? overdue$/ }).click();
      await page.locator(`a[href$="/members/${member.id}"]`).click();
      await button(page, "Copy the link to pay").click();
      await done(page, "The link to pay was copied.");
    },
  },
  {
    role: "owner",
    wish: "An owner wants to answer a dispute in Stripe",
    clicks: 1,
    async work(page) {
      const link = page.getByRole("link", { name: "Answer the dispute in Stripe" });
      expect(await link.getAttribute("href")).toMatch(/^https:\/\/dashboard\.stripe\.com\/disputes\//);
      await link.click({ trial: true });
    },
  },
  {
    role: "owner",
    wish: "An owner wants to give somebody their last payment back",
    clicks: 4,
    async work(page) {
      const { member } = await paidMember();
      await find(page, member);
      await button(page, /^Refund the payment of/)
        .first()
        .click();
      await confirm(page, "Refund");
      await done(page, "The payment was refunded.");
    },
  },
  {
    role: "owner",
    wish: "An owner wants to move somebody to another tier",
    clicks: 5,
    async work(page) {
      const member = await another((one) => isActive(one) && one.interval !== null && one.scheduled_change === null);
      await find(page, member);
      await button(page, "Change tier or interval").click();
      await dialog(page).getByLabel("Change to").selectOption({ index: 1 });
      await confirm(page, "Change the membership");
      await done(page, /^The membership was changed/);
    },
  },
  {
    role: "owner",
    wish: "An owner wants to end a membership at the end of its period",
    clicks: 4,
    async work(page) {
      await find(page, await another(isActive));
      await button(page, "Cancel the subscription").click();
      await confirm(page, "Cancel the subscription");
      await done(page, "The subscription was canceled.");
    },
  },
  {
    role: "owner",
    wish: "An owner wants to know how this month compares with the last one",
    clicks: 0,
    work: (page) => page.getByText(/^In .+: \$.+ in, \d+ joined, \d+ left\.$/).waitFor(),
  },
  {
    role: "manager",
    wish: "A manager wants to write to everybody who has no address for their parcel",
    clicks: 2,
    async work(page) {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      const missing = await members("access=true&requires_shipping_address=true&has_shipping_address=false");
      await page.getByRole("link", { name: /parcels? without an address$/ }).click();
      await button(page, "Copy emails").click();
      await done(page, /copied\. Paste/);
      const copied = await page.evaluate<string>("navigator.clipboard.readText()");
      expect(new Set(copied.split(", "))).toEqual(new Set(missing.map(({ user }) => user.email)));
    },
  },
  {
    role: "manager",
    wish: "A manager wants the labels of all parcels",
    clicks: 2,
    async work(page) {
      await area(page, "Members");
      await download(page, "Shipping labels");
    },
  },
  {
    role: "manager",
    wish: "A manager wants this month's payments for the accountant",
    clicks: 3,
    async work(page) {
      const { data } = await ask<TransactionPage>("owner", "GET", `${community}/transactions?per=1`);
      await area(page, "Payments");
      await page.getByRole("combobox", { name: "Month", exact: true }).selectOption(`${data[0]?.day.slice(0, 7)}-01`);
      await download(page, "Export CSV");
    },
  },
  {
    role: "manager",
    wish: "A manager wants to correct the address of somebody",
    clicks: 4,
    async work(page) {
      await find(page, await another((one) => isActive(one) && one.has_shipping_address));
      await button(page, "Edit the shipping address").click();
      await dialog(page).getByLabel("City").fill("Glasgow");
      await confirm(page, "Save the address");
      await done(page, /^The address was saved/);
    },
  },
  {
    role: "manager",
    wish: "A manager wants to keep somebody out of the community",
    clicks: 4,
    async work(page) {
      const member = await another(isActive);
      await find(page, member);
      await button(page, "Block").click();
      await dialog(page).getByLabel("Reason").fill("Insults");
      await confirm(page, `Block ${member.user.first_name}`);
      await done(page, `${member.user.first_name} is blocked.`);
    },
  },
  {
    role: "support",
    wish: "A support person wants to tell a caller until when the membership is paid",
    clicks: 2,
    async work(page) {
      await find(page, await another(isActive));
      await page.getByText("The current period ends on").first().waitFor();
    },
  },
  {
    role: "support",
    wish: "A support person wants to tell a caller why the payment failed",
    clicks: 2,
    async work(page) {
      const member = await memberWho(({ status, is_blocked }) => status === "past_due" && !is_blocked);
      await page.getByRole("link", { name: /payments? overdue$/ }).click();
      await page.locator(`a[href$="/members/${member.id}"]`).click();
      await page.getByText("The bank declined the card, without a reason.").first().waitFor();
    },
  },
  {
    role: "support",
    wish: "A support person wants to know who changed somebody's address",
    clicks: 2,
    async work(page) {
      const member = await another((one) => isActive(one) && one.has_shipping_address);
      const shipping_address = { ...member.shipping_address, name: `Floor ${member.id}` };
      await ask("owner", "PATCH", `${community}/members/${member.id}`, { member: { shipping_address } });
      await area(page, "Activity");
      await page.getByLabel("Search").fill(fullName(member));
      await page
        .getByRole("list", { name: "Found" })
        .getByRole("link", { name: fullName(member) })
        .click();
      const entry = page.locator(".timeline > li", { hasText: "Edited: shipping address" }).first();
      await entry.getByText("Olga Owner").waitFor();
    },
  },
];

/** Counts clicks and choices from here on. */
const count = `
  globalThis.clicks = 0;
  addEventListener("pointerdown", () => globalThis.clicks++, true);
  addEventListener("change", ({ target }) => { if (target.tagName === "SELECT") globalThis.clicks++; }, true);
`;

describe.skipIf(!hasConsole)("jobs of a Monday, in Chromium", () => {
  const browser = useConsole();

  beforeAll(async () => {
    for (const role of ["manager", "support"] as const) {
      const invitation = { email: `${people[roles[role]].username}@example.com`, role };
      const { id } = await ask<{ id: number }>("owner", "POST", `${community}/invitations`, { invitation });
      await ask(roles[role], "POST", `/odis/v1/invitations/${id}/accept`);
    }
    const { charge } = await paidMember();
    for (const [path, body] of [
      ["disputes", { charge: charge.id }],
      ["deliver", {}],
    ] as const)
      await fetch(`${local().stripe_url}/_fake/${path}`, { method: "POST", body: JSON.stringify(body) });
  });
  afterAll(async () => {
    const { api_url, tokens } = local();
    const headers = { authorization: `Bearer ${tokens.owner}` };
    for (const who of team) await fetch(`${api_url}${community}/team/${people[who].id}`, { method: "DELETE", headers });
  });

  describe.each([390, 1366])("%i pixels wide", (width) => {
    it.each(jobs)("$wish: at most $clicks clicks", async ({ role, clicks, work }) => {
      const { page } = browser;
      await page.setViewportSize({ width, height: 800 });

      await open(page, roles[role], overview);
      await page.locator(".month-sentence").waitFor();
      await page.evaluate(count);
      await work(page);
      expect(await page.evaluate<number>("clicks")).toBeLessThanOrEqual(clicks);
    });
  });
});
