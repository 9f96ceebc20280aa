import { afterAll, beforeEach, vi } from "vitest";

type Metrics = readonly { readonly Dimensions: string[][]; readonly Metrics: { readonly Name: string }[] }[];
type Line = Record<string, unknown> & { readonly _aws?: { readonly CloudWatchMetrics: Metrics } };

/** The metrics that a log line makes CloudWatch record. */
export const metricsOf = ({ _aws: embedded }: Line): Metrics => embedded?.CloudWatchMetrics ?? [];

/** Secrets and personal data in the tests' requests that no log may contain. */
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
  /odis_[a-z0-9-]+_[0-9A-Za-z]{1,9}_[0-9A-Za-z]{43}/,
  /\bBearer\b/i,
  /eyJ[\w-]+\./,
  /Calle|Main St|Granada|Oaxaca|\b(18001|68000)\b/,
  /\b(Peña|Olga)\b/,
  /a note of mine|my-very-own-key/,
];

/** Whether a line contains a token, a key, an e-mail address or a postal address of the tests' data or of the demo. */
export const leaks = (line: string): boolean => secrets.some((secret) => secret.test(line));

/**
 * Captures the lines that the functions log while a test runs. The lines are passed on to the setup file, which
 * searches and keeps them.
 */
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
    /** Returns the lines that contain secrets or personal data. */
    secrets: (more: readonly string[] = []): string[] =>
      written().filter((text) => leaks(text) || more.some((secret) => text.includes(secret))),
  };
}
