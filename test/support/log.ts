import { afterAll, beforeEach, vi } from "vitest";

type Metrics = readonly { readonly Dimensions: string[][]; readonly Metrics: { readonly Name: string }[] }[];
type Line = Record<string, unknown> & { readonly _aws?: { readonly CloudWatchMetrics: Metrics } };

/** What CloudWatch is told to measure by a line. */
export const metricsOf = ({ _aws: embedded }: Line): Metrics => embedded?.CloudWatchMetrics ?? [];

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
  /eyJ[\w-]+\./,
  /Calle|Main St|Granada|Oaxaca|\b(18001|68000)\b/,
  /Peña|Olga/,
  /a note of mine|my-very-own-key/,
];

/** Whether a line holds a token, a key, an e-mail or a line of an address, of the tests' data or the demo's. */
export const leaks = (line: string): boolean => secrets.some((secret) => secret.test(line));

/** The lines that the functions log while a test runs. They go on to the setup file, which searches and keeps them. */
export function startLog() {
  const spy = vi.spyOn(process.stdout, "write");
  const written = () => spy.mock.calls.map(([text]) => String(text));
  beforeEach(() => {
    spy.mockClear();
  });
  afterAll(() => spy.mockRestore());

  return {
    clear: () => void spy.mockClear(),
    lines: (level?: string): Line[] =>
      written()
        .map((text) => JSON.parse(text) as Line)
        .filter((line) => level === undefined || line.level === level),
    /** The lines that hold what they must not. */
    secrets: (more: readonly string[] = []): string[] =>
      written().filter((text) => leaks(text) || more.some((secret) => text.includes(secret))),
  };
}
