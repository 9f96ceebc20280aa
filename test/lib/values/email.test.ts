import * as v from "valibot";
import { expect, it } from "vitest";
import { MemberImport } from "#lib/domain/member-import.ts";
import { PersonListQuery } from "#lib/domain/person-list.ts";
import { InvitationCreate } from "#lib/domain/team.ts";
import { emailChecks } from "#lib/values/email.ts";

const Email = v.pipe(v.string(), ...emailChecks);

it.each([
  "ana@example.com",
  "Ana.Ruiz+club@sub-domain.example.co.uk",
  "pat.o'brien@example.com",
  "a&b@example.com",
  "!#$%*/=?^_`{|}~-@example.com",
  "ana@example.xn--p1ai",
  "ana@1und1.de",
])("%s is an email address", (email) => {
  expect(v.is(Email, email)).toBe(true);
});

it.each([
  "ana",
  "ana@localhost",
  "ana@example.c0m.",
  "ana@example..com",
  "ana@-example.com",
  "ana@example-.com",
  "ana@192.0.2.1",
  "ana@[192.0.2.1]",
  ".ana@example.com",
  "ana.@example.com",
  "ana..ruiz@example.com",
  "ana ruiz@example.com",
  "ana@exam ple.com",
  "ana@example.com\n",
  "ana\u0000@example.com",
  "ana,bea@example.com",
  "ana;bea@example.com",
  "<ana@example.com>",
  '"ana ruiz"@example.com',
  "ana@bea@example.com",
  "josé@example.com",
  "ana@exämple.com",
])("%j is no email address", (email) => {
  expect(v.is(Email, email)).toBe(false);
});

it("imports, searches for people and invitations accept the same email addresses", () => {
  const email = "pat.o'brien@example.xn--p1ai";
  const day = "2026-11-21T00:00:00Z";
  const member = { status: "active", created_at: day, current_period_start: day, current_period_end: day };
  expect(v.is(MemberImport, { ...member, tier_id: 1, user: { email } })).toBe(true);
  expect(v.is(PersonListQuery, { email })).toBe(true);
  expect(v.is(InvitationCreate, { invitation: { email, role: "viewer" } })).toBe(true);
});
