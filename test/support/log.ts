import { afterAll, beforeAll, beforeEach, expect, vi } from "vitest";

export type Line = Record<string, unknown> & {
  readonly _aws?: { readonly CloudWatchMetrics: readonly { Dimensions: string[][]; Metrics: { Name: string }[] }[] };
};

/** What a test's requests carry that no log may hold. */
export const personal = {
  note: "a note of mine",
  key: "my-very-own-key",
  email: "ana@example.com",
  address: { name: "Ana Peña", line1: "Calle Mayor 5", line2: "", city: "Granada", state: "", zip: "18001" },
};

const secrets = [
  /[\w.+-]+@[\w-]+\.\w+/,
  /\b[srp]k_(test|live|local)/,
  /whsec_/,
  /Bearer/i,
  /eyJ/,
  /Calle Mayor|Granada|18001/,
  /Peña|Olga/,
  /a note of mine|my-very-own-key/,
];

/** Everything that the functions log while a test file runs. */
export function startLog() {
  let written: string[] = [];
  beforeAll(() => {
    process.env.LOG_LEVEL = "info";
    vi.spyOn(process.stdout, "write").mockImplementation((text) => {
      written.push(String(text));
      return true;
    });
  });
  beforeEach(() => {
    written = [];
  });
  afterAll(() => {
    vi.restoreAllMocks();
    process.env.LOG_LEVEL = "error";
  });

  return {
    clear() {
      written = [];
    },
    lines: (level?: string): Line[] =>
      written.map((text) => JSON.parse(text) as Line).filter((line) => level === undefined || line.level === level),
    expectNoSecrets(more: readonly string[] = []): void {
      expect(written.length).toBeGreaterThan(0);
      for (const secret of secrets) expect(written.filter((text) => secret.test(text))).toEqual([]);
      for (const secret of more) expect(written.filter((text) => text.includes(secret))).toEqual([]);
    },
  };
}
