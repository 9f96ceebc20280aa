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
    const alarms = ["EventsSilent", "Outage", "anna-Outage"].map((name) => ({ AlarmName: `odis-sandbox-${name}` }));
    const answer = action === "DescribeAlarms" ? { MetricAlarms: alarms } : {};
    return { status: 200, headers: [["content-type", "application/x-amz-json-1.0"]], body: JSON.stringify(answer) };
  });
  vi.stubEnv("AWS_ENDPOINT_URL_CLOUDWATCH", served.url);
});
afterAll(() => served.close());

it("resetAlarms sets each firing alarm of the stage to OK, and none of a stage whose name begins with it", async () => {
  const names = ["odis-sandbox-EventsSilent", "odis-sandbox-Outage"];
  expect(await resetAlarms("sandbox")).toEqual(names);
  const [asked, ...set] = requests;
  expect(JSON.parse(asked?.input ?? "")).toEqual({ AlarmNamePrefix: "odis-sandbox-", StateValue: "ALARM" });
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
