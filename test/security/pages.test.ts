import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { explorePages } from "../../tools/local/pages.ts";
import { startApi } from "../support/api.ts";
import { hasBrowser, useBrowser } from "../support/browser.ts";

const api = startApi({ pages: explorePages(() => []) });

const pages = ["/docs", "/docs/problems", "/docs/reference.js", "/openapi.json", "/explore"];

it.each(pages)(
  "finding C11: %s tells no other site where people come from, and shares no window with one",
  async (path) => {
    const { headers } = await api.send(path);
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  },
);

it.each(pages.filter((path) => path !== "/docs"))("finding C11: %s allows no inline style or script", async (path) => {
  expect((await api.send(path)).headers.get("content-security-policy")).not.toContain("unsafe");
});

it("finding C11: the reference allows inline styles, which its library writes, and no inline script", async () => {
  const policy = (await api.send("/docs")).headers.get("content-security-policy");
  expect(policy).toContain("style-src 'unsafe-inline'");
  expect(policy).toContain("script-src 'self';");
});

it("finding C11: the styles of the page of problems are named by their hash", async () => {
  const response = await api.send("/docs/problems");
  const [, style = ""] = /<style>(.*?)<\/style>/s.exec(await response.text()) ?? [];
  const hash = createHash("sha256").update(style).digest("base64");
  expect(response.headers.get("content-security-policy")).toContain(`style-src 'sha256-${hash}'`);
});

describe.skipIf(!hasBrowser("the page of problems"))("in Chromium", () => {
  const browser = useBrowser();

  it("finding C11: the styles of the page of problems are taken", async () => {
    await browser.page.goto(`${api.stack.url}/docs/problems`);
    expect(await browser.page.evaluate("getComputedStyle(document.body).maxWidth")).not.toBe("none");
  });
});
