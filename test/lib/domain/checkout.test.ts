import { describe, expect, it } from "vitest";
import { ownAddresses } from "#lib/domain/checkout.ts";
import type { Problem } from "#lib/problem.ts";

const origins = [
  "https://app.example.com",
  "http://127.0.0.1:3000",
  "http://localhost:3000",
  "http://[::1]:3000",
  "http://plain.example.com",
];

/** The URL that is sent to Stripe, or the code of its issue. */
function outcomeOf(url: string, allowed: readonly string[] = origins): string {
  try {
    return ownAddresses({ url }, allowed).url;
  } catch (error) {
    const [issue] = (error as Problem).errors ?? [];
    expect(issue).toMatchObject({ pointer: "/url" });
    return issue?.code ?? "none";
  }
}

describe("redirect addresses", () => {
  it.each([
    ["https://app.example.com/joined?a=1#b", "https://app.example.com/joined?a=1#b"],
    ["HTTPS://APP.example.com", "https://app.example.com/"],
    ["https://app.example.com:443/x", "https://app.example.com/x"],
    ["http://127.0.0.1:3000/x", "http://127.0.0.1:3000/x"],
    ["http://localhost:3000/x", "http://localhost:3000/x"],
    ["http://[::1]:3000/x", "http://[::1]:3000/x"],
    ["http://127.0.0.1:3000\\@evil.com/", "http://127.0.0.1:3000/@evil.com/"],
    ["https://app.example.com/a\r\nb", "https://app.example.com/ab"],
    ["\u0000https://app.example.com/", "https://app.example.com/"],
  ])("the return URL %j is sent to Stripe in parsed form: %s", (url, sent) => {
    expect(outcomeOf(url)).toBe(sent);
  });

  it.each([
    "https://app.example.com/done?session={CHECKOUT_SESSION_ID}",
    "https://app.example.com/done/{CHECKOUT_SESSION_ID}",
    "https://app.example.com/done#{CHECKOUT_SESSION_ID}",
  ])("Stripe's placeholder in a return URL is unchanged: %s", (url) => {
    expect(outcomeOf(url)).toBe(url);
  });

  it("encoded braces in a return URL stay encoded", () => {
    const url = "https://app.example.com/%7BCHECKOUT_SESSION_ID%7D";
    expect(outcomeOf(url)).toBe(url);
  });

  it.each([
    ["https://evil.com/", "foreign_origin"],
    ["https://app.example.com.evil.com/", "foreign_origin"],
    ["http://app.example.com/", "invalid_format"],
    ["http://plain.example.com/", "invalid_format"],
    ["https://user:pass@app.example.com/", "invalid_format"],
    ["https://user@app.example.com/", "invalid_format"],
    ["blob:https://app.example.com/x", "invalid_format"],
    ["javascript:alert(1)", "invalid_format"],
    ["data:text/html,x", "invalid_format"],
  ])("the return URL %s is refused with the code %s", (url, code) => {
    expect(outcomeOf(url)).toBe(code);
  });
});

it.each([
  ["http://localhost:5173/joined", "http://localhost:5173/joined"],
  ["http://localhost/joined", "http://localhost/joined"],
  ["https://localhost:5173/joined", "foreign_origin"],
  ["http://127.0.0.1:5173/joined", "foreign_origin"],
  ["http://localhost.evil.com:5173/joined", "invalid_format"],
  ["http://localhost:5173@evil.com/joined", "invalid_format"],
])("with the allowed origin http://localhost:*, the return URL %s gives %s", (url, outcome) => {
  expect(outcomeOf(url, ["http://localhost:*"])).toBe(outcome);
});
