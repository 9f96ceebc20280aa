import { describe, expect, it } from "vitest";
import { BenefitCreate } from "#lib/domain/benefit.ts";
import { BrandCreate } from "#lib/domain/brand.ts";
import { CancellationRequest } from "#lib/domain/cancellation.ts";
import { CommunityCreate } from "#lib/domain/community.ts";
import { MemberImport } from "#lib/domain/member-import.ts";
import { slugsOf } from "#lib/domain/slug.ts";
import { TierCreate } from "#lib/domain/tier.ts";
import { validate } from "#lib/http/validation.ts";
import { Problem } from "#lib/problem.ts";
import { patchMetadata } from "#lib/values/metadata.ts";

/** The codes of a body's issues. Empty for a valid body. */
function wrong(read: () => unknown): string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return (error.errors ?? []).map(({ code }) => code);
  }
}

const period = "2026-11-01T00:00:00.000Z";
const imported = {
  tier_id: 1,
  status: "active",
  created_at: period,
  current_period_start: period,
  current_period_end: period,
};

/** Validators of request bodies, each for one text that other people see. All other fields are valid. */
const names: Record<string, (text: string) => unknown> = {
  "a community's name": (name) => validate("body", CommunityCreate, { community: { name, owner_id: 1 } }),
  "a tier's name": (name) => validate("body", TierCreate, { tier: { name, monthly_price_dollars: 1 } }),
  "a tier's badge": (badge) => validate("body", TierCreate, { tier: { name: "a", badge, monthly_price_dollars: 1 } }),
  "a benefit's name": (name) => validate("body", BenefitCreate, { benefit: { name } }),
  "a brand's name": (name) => validate("body", BrandCreate, { brand: { name } }),
  "a username": (username) => validate("body", MemberImport, { ...imported, user: { id: 1, username } }),
  "a first name": (first_name) => validate("body", MemberImport, { ...imported, user: { id: 1, first_name } }),
};
const description = (text: string) => validate("body", BenefitCreate, { benefit: { name: "a", description: text } });

const misleading = ["a\u0000b", "a\nb", "a\tb", "a\u0085b", "\u202Elivc", "a\u202D", "\u2066a\u2069"];
const blank = ["\u200B\u200B", "\u2060", "\u115F", "\u1160", "\u2800", "\u3164", "\u0301", "\u200B \u3164"];
const fine = ["Peña", "日本酒", "🥃", "O'Neil & Söhne", "שלום", "a\u200Db", "नमस्ते"];

describe.each(Object.entries(names))("%s", (_, read) => {
  it.each([...misleading, ...blank])("a shown name is refused if it is misleading or blank: %j", (text) => {
    expect(wrong(() => read(text))).toEqual(["invalid_format"]);
  });

  it.each(fine)("a shown name can be %j", (text) => {
    expect(wrong(() => read(text))).toEqual([]);
  });

  it("a shown name is normalized to NFC", () => {
    expect(JSON.stringify(read("Pen\u0303a"))).toContain("Pe\u00F1a");
  });
});

describe("longer texts", () => {
  it("a description may contain line breaks, but no other invisible characters", () => {
    expect(wrong(() => description("one\ntwo\r\nthree"))).toEqual([]);
    expect(wrong(() => description(""))).toEqual([]);
    for (const text of ["a\u0000b", "a\u202Eb", "\u200B", "\u3164"])
      expect(wrong(() => description(text))).toEqual(["invalid_format"]);
  });

  it("a comment and notes may contain line breaks, but no other control characters", () => {
    const note = (notes: string) => patchMetadata({ notes: "", custom: {} }, { notes });
    const comment = (text: string) => validate("body", CancellationRequest, { comment: text });
    for (const read of [note, comment]) {
      expect(wrong(() => read("one\ntwo"))).toEqual([]);
      expect(wrong(() => read("a\u0000b"))).toEqual(["invalid_format"]);
    }
  });
});

describe("a slug", () => {
  const slug = (text: string) =>
    validate("body", CommunityCreate, { community: { name: "a", owner_id: 1, slug: text } });
  const reserved =
    "admin api app assets console docs explore health me odis static webhooks www xn--80ak6aa92e xn--a".split(" ");

  it.each(reserved)("a slug cannot be %s", (text) => {
    expect(wrong(() => slug(text))).toEqual(["not_allowed"]);
  });

  it.each(["admins", "my-api", "xn-a", "a--b"])("a slug can be %s", (text) => {
    expect(wrong(() => slug(text))).toEqual([]);
  });

  it("a generated slug that is reserved is replaced by another one", () => {
    const uuid = "6f1d9b0e-3c1a-4c55-9a44-0c3a1c2f7a01";
    expect(slugsOf({ name: "Admin", uuid })[0]).toBe("admin-2");
    for (const name of reserved) for (const one of slugsOf({ name, uuid })) expect(wrong(() => slug(one))).toEqual([]);
  });
});

describe("the address of an avatar", () => {
  const avatar = (url: string) =>
    validate("body", CommunityCreate, { community: { name: "a", owner_id: 1, avatar_url: url } });

  it.each([
    "https://user:pw@images.example.com/a.png",
    "https://user@images.example.com/a.png",
    "http://images.example.com/a.png",
    "https://127.0.0.1/a.png",
    "https://0x7f.1/a.png",
    "https://2130706433/a.png",
    "https://localhost/a.png",
    "https://a.localhost./a.png",
    "https://10.1.2.3/a.png",
    "https://172.31.0.1/a.png",
    "https://192.168.0.1/a.png",
    "https://169.254.169.254/latest/meta-data",
    "https://100.64.0.1/a.png",
    "https://0.0.0.0/a.png",
    "https://[::1]/a.png",
    "https://[fd00::1]/a.png",
    "https://[::ffff:10.0.0.1]/a.png",
  ])("an avatar URL is refused as %s", (url) => {
    expect(new Set(wrong(() => avatar(url)))).toEqual(new Set(["invalid_format"]));
  });

  it.each(["https://images.example.com/a.png?x=1", "https://93.184.216.34/a.png", "https://172.32.0.1/a"])(
    "an avatar URL can be %s",
    (url) => {
      expect(wrong(() => avatar(url))).toEqual([]);
    },
  );
});
