import { describe, expect, it } from "vitest";
import type { MemberImport } from "#lib/domain/member-import.ts";
import { isRepeated, recognize, remap } from "../../site/console/src/data/import/fields.ts";
import { nameTier, type Plan, planOf, questionsOf, rowsOf } from "../../site/console/src/data/import/plan.ts";
import { readCsv, textOf } from "../../site/console/src/data/import/read-csv.ts";
import { checkRows } from "../../site/console/src/data/import/records.ts";
import { requestsOf } from "../../site/console/src/data/import/send.ts";
import { timestampOf } from "../../site/console/src/data/import/values.ts";

const tiers = [
  { id: 11, name: "Agave Friend", status: "active" },
  { id: 12, name: "Barrel Owner", status: "active" },
];
const at = "2026-11-27T00:00:00.000Z";
const planFor = (text: string, over: Partial<Plan> = {}): Plan => ({
  ...planOf({ text, tiers, isAdmin: false }),
  dates: "day",
  at,
  ...over,
});
/** The records of a file, or the errors of rows without one. */
const outcomes = (text: string, over?: Partial<Plan>) =>
  checkRows(planFor(text, over)).map(({ record, errors }) => (errors.length > 0 ? errors : record));

describe("reading a file of members in the console", () => {
  it("cells in quotes may have separators, line breaks and quotes, and each record has the line on which it begins", () => {
    expect(readCsv('\uFEFFName,Notes\r\n"Ruiz, Ana","likes ""reposado""\nand añejo"\r\n\r\nBea,\r\n')).toEqual([
      { line: 1, cells: ["Name", "Notes"] },
      { line: 2, cells: ["Ruiz, Ana", 'likes "reposado"\nand añejo'] },
      { line: 5, cells: ["Bea", ""] },
    ]);
  });

  it("the separator is the one of the first line, outside of quotes: a comma, a semicolon or a tab", () => {
    for (const separator of [",", ";", "\t"])
      expect(readCsv(`"a,;b"${separator}c${separator}d\n1${separator}2${separator}3`)).toEqual([
        { line: 1, cells: ["a,;b", "c", "d"] },
        { line: 2, cells: ["1", "2", "3"] },
      ]);
  });

  it("the separator is the one that Excel names in a line above the columns, which is no record", () => {
    expect(readCsv("\uFEFFsep=;\r\na,b,c;d\r\n1;2\r\n")).toEqual([
      { line: 2, cells: ["a,b,c", "d"] },
      { line: 3, cells: ["1", "2"] },
    ]);
  });

  it("a quotation mark that is never closed belongs to the text", () => {
    expect(readCsv('name\n"Ana\nBea').map(({ cells }) => cells)).toEqual([["name"], ['"Ana'], ["Bea"]]);
  });

  it("a file may be in UTF-8, UTF-16 or Windows-1252, and a workbook is refused", async () => {
    const text = "naïve";
    expect(await textOf(new Blob(["\uFEFF", text]))).toBe(text);
    const utf16 = Buffer.from(`\uFEFF${text}`, "utf16le");
    expect(await textOf(new Blob([utf16]))).toBe(text);
    expect(await textOf(new Blob([Buffer.from(utf16).swap16()]))).toBe(text);
    expect(await textOf(new Blob([Buffer.from(text, "latin1")]))).toBe(text);
    await expect(textOf(new Blob([Buffer.from("PK\u0003\u0004")]))).rejects.toThrow("This file is a workbook.");
  });
});

describe("the columns of a file of members in the console", () => {
  it("columns are recognized by the names that other systems and Odis's own exports give them", () => {
    const patreon = ["Name", "Email", "Patron Status", "Lifetime Amount", "Tier", "Street", "Patronage Since Date"];
    expect(recognize(patreon, false)).toEqual(["name", "email", "status", "spent_dollars", "tier", "line1", "joined"]);
    const own = ["user_email", "status", "membership_tier_name", "lifetime_spend_cents", "shipping_address_city"];
    expect(recognize(own, false)).toEqual(["email", "status", "tier", "spent_cents", "city"]);
  });

  it("a field has one column, except custom data, and only an admin can import Stripe ids", () => {
    expect(recognize(["Email", "E-mail", "stripe_customer_id"], false)).toEqual(["email", "", ""]);
    expect(recognize(["stripe_customer_id"], true)).toEqual(["stripe_customer_id"]);
    expect(remap(["email", "", "custom"], 1, "email")).toEqual(["", "email", "custom"]);
    expect(remap(["custom", ""], 1, "custom")).toEqual(["custom", "custom"]);
  });

  it("a column whose name another column has too is repeated, without regard to capitals and spaces", () => {
    const headers = ["Tier ID", "Email", "tier_id", "", ""];
    expect(headers.map((_, column) => isRepeated(headers, column))).toEqual([true, false, true, false, false]);
  });

  it("a file says which of its tiers are unknown, whether rows have none, and whether its dates are ambiguous", () => {
    const plan = planFor(
      "email,tier,joined\na@example.com,gold,3/4/2026\nb@example.com,,\nc@example.com,agave friend,",
    );
    const { rows } = rowsOf(plan);
    expect(questionsOf(plan, rows)).toEqual({ tiers: ["gold"], hasNoTier: true, isOrderOpen: true });
    const answered = nameTier({ ...plan, tierId: 11 }, "gold", 12);
    expect(checkRows(answered).map(({ record, errors }) => [record.tier_id, errors])).toEqual([
      [12, []],
      [11, []],
      [11, []],
    ]);
  });

  it("the order of dates is decided by the columns of dates alone, and asked for if they leave it open", () => {
    const [text, joinedDay] = ["email,birthday,joined\na@x.org,12/25/1980,", "3/4/2026"];
    const suggested = [text, text.replace("12/25", "25/12")].map(
      (start) => planOf({ text: start + joinedDay, tiers, isAdmin: false }).dates,
    );
    expect(suggested[0]).toBe(suggested[1]);
    const open = planFor(text + joinedDay, { tierId: 11 });
    expect(questionsOf(open, rowsOf(open).rows).isOrderOpen).toBe(true);
    const joined = (plan: Plan) => checkRows(plan).map(({ record }) => record.created_at.slice(0, 10));
    expect([joined(open), joined({ ...open, dates: "month" })]).toEqual([["2026-04-03"], ["2026-03-04"]]);

    const decided = planFor("email,joined\na@x.org,3/4/2026\nb@x.org, 3/14/2026", { tierId: 11 });
    expect(questionsOf(decided, rowsOf(decided).rows).isOrderOpen).toBe(false);
    expect(joined(decided)).toEqual(["2026-03-04", "2026-03-14"]);
  });

  it("a file without rows is refused", () => {
    expect(() => planFor("email,tier\n")).toThrow("There are no rows below the names of the columns.");
  });
});

describe("the records of a file of members in the console", () => {
  it("a row becomes a record in the form of the API", () => {
    const header =
      "Email;Full name;Tier;Status;Joined;Paid until;Paid;Street;City;Postal code;Country;Phone;Notes;Favorite";
    const row =
      "ana@example.com;Ana María Ruiz;agave friend;Active patron;05.03.2024;2026-12-05 10:30;1.200,50 $;Calle 1;Oaxaca;68000;Mexico;'+52 951;VIP;Espadín";
    const plan = planFor(`${header}\n${row}`);
    const [checked] = checkRows({ ...plan, mapping: [...plan.mapping.slice(0, -1), "custom"] });
    expect(checked?.errors).toEqual([]);
    expect(checked?.record satisfies Partial<MemberImport> | undefined).toEqual({
      user: { email: "ana@example.com", first_name: "Ana María", last_name: "Ruiz", username: "" },
      tier_id: 11,
      status: "active",
      created_at: "2024-03-05T00:00:00.000Z",
      current_period_start: "2026-11-05T10:30:00.000Z",
      current_period_end: "2026-12-05T10:30:00.000Z",
      cancel_at: null,
      ended_at: null,
      shipping_address: {
        name: "",
        line1: "Calle 1",
        line2: "",
        city: "Oaxaca",
        state: "",
        postal_code: "68000",
        country: "MX",
        phone: "+52 951",
      },
      lifetime_spend_cents: 120_050,
      metadata: { Favorite: "Espadín", notes: "VIP" },
    });
  });

  it("a row with nothing but an email address is an active member from now on, for a month", () => {
    const [record] = outcomes("Email\nana@example.com", { tierId: 11 });
    expect(record).toMatchObject({
      status: "active",
      created_at: at,
      current_period_start: at,
      current_period_end: "2026-12-27T00:00:00.000Z",
      shipping_address: null,
    });
  });

  it("a period without its start or its end lasts a month, which ends on the last day of a shorter month", () => {
    const text = "email,paid from,paid until\na@x.org,2026-01-31,\nb@x.org,,2026-03-31\nc@x.org,2026-03-31,";
    const periods = checkRows(planFor(text, { tierId: 11 })).map(({ record }) =>
      [record.current_period_start, record.current_period_end].map((time) => time.slice(0, 10)),
    );
    expect(periods).toEqual([
      ["2026-01-31", "2026-02-28"],
      ["2026-02-28", "2026-03-31"],
      ["2026-03-31", "2026-04-30"],
    ]);
  });

  it("a membership whose end is over has ended, and one whose end is to come is canceled then", () => {
    const rows = [
      "a@x.org,2026-01-05,",
      "b@x.org,2027-01-05,active",
      "c@x.org,,former",
      "d@x.org,2027-01-05,canceled",
      "e@x.org,2027-01-05,past due",
    ];
    const records = outcomes(`email,ends on,status\n${rows.join("\n")}`, { tierId: 11 });
    expect(records).toMatchObject([
      { status: "canceled", cancel_at: null, ended_at: "2026-01-05T00:00:00.000Z" },
      { status: "active", cancel_at: "2027-01-05T00:00:00.000Z", ended_at: null },
      { status: "canceled", cancel_at: null, ended_at: at },
      { status: "active", cancel_at: "2027-01-05T00:00:00.000Z", ended_at: null },
      { status: "past_due", cancel_at: "2027-01-05T00:00:00.000Z", ended_at: null },
    ]);
  });

  it("the members of Odis's own export end when they ended, or when they will end", () => {
    const rows = [
      "a@x.org,canceled,,2026-02-10T00:00:00.000Z",
      "b@x.org,canceled,2027-01-05T00:00:00.000Z,2026-03-11T00:00:00.000Z",
      "c@x.org,active,2027-01-05T00:00:00.000Z,",
    ];
    expect(outcomes(`user_email,status,cancel_at,ended_at\n${rows.join("\n")}`, { tierId: 11 })).toMatchObject([
      { status: "canceled", cancel_at: null, ended_at: "2026-02-10T00:00:00.000Z" },
      { status: "canceled", cancel_at: null, ended_at: "2026-03-11T00:00:00.000Z" },
      { status: "active", cancel_at: "2027-01-05T00:00:00.000Z", ended_at: null },
    ]);
  });

  it("every reason why a row cannot be imported is a sentence with the value or the field", () => {
    const text = [
      "email,tier,status,joined,paid,street,city,country,first name",
      ",agave friend,,,,,,,",
      "ana,gold,sometimes,31/31/2024,much,,,,",
      "bea@example.com,agave friend,,2999-01-01,,Calle 1,,Atlantis,\u202Eabc",
      "BEA@example.com,agave friend,,,,,,,,more",
    ].join("\n");
    expect(outcomes(text)).toEqual([
      ["Email is missing."],
      [
        "There is no tier “gold”.",
        "Status: “sometimes” is unknown. Use active, trialing, past due, unpaid or canceled.",
        "Joined: “31/31/2024” is not a date.",
        "Paid so far is not an amount in dollars.",
        "Email must be an email address.",
      ],
      [
        "Joined must not be in the future.",
        "There is no country “Atlantis”.",
        "First name must have no control characters, and no direction overrides.",
      ],
      ["The row has more cells than there are columns.", "Line 4 has the same email address."],
    ]);
  });

  it("a row with two values for one name of custom data cannot be imported", () => {
    const text = "email,Notes,Size,Size,notes\na@x.org,,M,L,\nb@x.org,,M,,\nc@x.org,VIP,,,tall";
    const mapping = ["email", "notes", "custom", "custom", "custom"] as const;
    const [first, second, third] = outcomes(text, { tierId: 11, mapping });
    expect(first).toEqual(["There are two values for “Size”."]);
    expect(second).toMatchObject({ metadata: { Size: "M" } });
    expect(third).toEqual(["There are two values for “notes”."]);
  });

  it("dates are read in the forms that spreadsheets and other systems write, and only if they exist", () => {
    const midnight = "2026-03-04T00:00:00.000Z";
    for (const text of ["2026-03-04", "04/03/2026", "4.3.2026", "4 March 2026", "Mar 4, 2026", "2026/3/4"])
      expect({ text, at: timestampOf(text, "day") }).toEqual({ text, at: midnight });
    expect(timestampOf("3/4/2026", "month")).toBe(midnight);
    expect(timestampOf("2026-03-04T10:20:30.5+02:00", "day")).toBe("2026-03-04T08:20:30.000Z");
    expect(timestampOf("3/4/2026, 1:05 PM", "month")).toBe("2026-03-04T13:05:00.000Z");
    for (const text of ["2026-02-30", "31/31/2026", "2026-03-04 25:00", "4 Foo 2026", "soon", "20260304"])
      expect({ text, at: timestampOf(text, "day") }).toEqual({ text, at: undefined });
  });

  it("a request has at most 25 rows and 60 KiB", () => {
    const rows = (count: number, notes: string) =>
      checkRows(
        planFor(`email,notes\n${Array.from({ length: count }, (_, n) => `m${n}@example.com,${notes}`).join("\n")}`, {
          tierId: 11,
        }),
      );
    expect(requestsOf(rows(60, "")).map(({ length }) => length)).toEqual([25, 25, 10]);
    for (const request of requestsOf(rows(30, "x".repeat(4900))))
      expect(JSON.stringify(request.map(({ record }) => record)).length).toBeLessThan(61 * 1024);
  });
});
