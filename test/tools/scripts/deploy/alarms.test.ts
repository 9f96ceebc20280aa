import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { createVariant } from "../../../../tools/build/variants.ts";
import { type Serving, serve } from "../../../../tools/local/loopback.ts";
import { resetAlarms, silencesAlarms } from "../../../../tools/scripts/deploy/alarms.ts";

let served: Serving;
const requests: { readonly action: string; readonly input: string }[] = [];
beforeAll(async () => {
  served = await serve({ port: 0, maxBodyBytes: 10_000 }, async ({ headers, body }) => {
    const target = headers.find(([name]) => name.toLowerCase() === "x-amz-target")?.[1] ?? "";
    const action = target.split(".")[1] ?? "";
    requests.push({ action, input: String(body) });
    const alarms = [{ AlarmName: "odis-prod-EventsSilent" }, { AlarmName: "odis-prod-Outage" }];
    const answer = action === "DescribeAlarms" ? { MetricAlarms: alarms } : {};
    return { status: 200, headers: [["content-type", "application/x-amz-json-1.0"]], body: JSON.stringify(answer) };
  });
  vi.stubEnv("AWS_ENDPOINT_URL_CLOUDWATCH", served.url);
});
afterAll(() => served.close());

it("resetAlarms sets each firing alarm of the stage to OK", async () => {
  const names = ["odis-prod-EventsSilent", "odis-prod-Outage"];
  expect(await resetAlarms("prod")).toEqual(names);
  const [asked, ...set] = requests;
  expect(JSON.parse(asked?.input ?? "")).toEqual({ AlarmNamePrefix: "odis-prod-", StateValue: "ALARM" });
  expect(set).toEqual(
    names.map((name) => ({
      action: "SetAlarmState",
      input: expect.stringContaining(`"AlarmName":"${name}"`) as string,
    })),
  );
  for (const { input } of set) expect(input).toContain('"StateValue":"OK"');
});

it.each([
  ["maintenance", true],
  ["prod", false],
] as const)("the template of %s disables the actions of alarms: %o", (name, isSilent) => {
  const { app, stack } = createVariant(name);
  const { template } = app.synth().getStackByName(stack.stackName) as { readonly template: object };
  expect(silencesAlarms(JSON.stringify(template))).toBe(isSilent);
});
