import { Buffer } from "node:buffer";
import sdkPackage from "@aws-sdk/client-dynamodb/package.json" with { type: "json" };
import { describe, expect, it, vi } from "vitest";
import { type Config, cut, get, hermetic, type Sdk, whole } from "./sdk-builds.ts";

hermetic();

type Sent = {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
};

/** What is sent for a Get, and never arrives. */
async function sent(sdk: Sdk, config: Config = {}): Promise<Sent> {
  let request: Sent | undefined;
  const handle = (taken: Sent) => {
    request = taken;
    return Promise.resolve({ response: { statusCode: 200, headers: {}, body: Buffer.from("{}") } });
  };
  const outcome = await get(sdk, { ...config, requestHandler: { handle } as never });
  if (!request) throw new Error(JSON.stringify(outcome));
  return request;
}
const addressOf = ({ protocol, hostname, port, path }: Sent) =>
  `${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path}`;

describe("the lean SDK's requests", () => {
  it("are signed as the whole signs them, with the session's token", async () => {
    vi.useFakeTimers({ now: new Date("2026-11-21T10:00:00Z"), toFake: ["Date"] });
    vi.spyOn(crypto, "randomUUID").mockReturnValue("00000000-0000-4000-8000-000000000000");
    vi.stubEnv("AWS_SESSION_TOKEN", "a session's token");
    // The whole's CommonJS files name another version.
    const config = { defaultUserAgentProvider: async (): Promise<[string, string][]> => [["aws-sdk-js", "3"]] };
    const ours = await sent(cut, config);
    const theirs = await sent(whole, config);

    // Not signed; it lists the features in use, and whether an account has an endpoint of its own is one.
    expect({ ...ours.headers, "user-agent": "" }).toEqual({ ...theirs.headers, "user-agent": "" });
    expect(new TextDecoder().decode(ours.body)).toBe(new TextDecoder().decode(theirs.body));
    expect(ours.headers).toMatchObject({
      "x-amz-security-token": "a session's token",
      "x-amz-target": "DynamoDB_20120810.GetItem",
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=test\/20261121\/eu-central-1\/dynamodb\/aws4_request, .*x-amz-security-token/,
      ),
    });
  });

  it("say which version of the SDK they come from", async () => {
    const { headers } = await sent(cut);
    expect(headers["user-agent"]).toContain(`aws-sdk-js/${sdkPackage.version} `);
    expect(headers["x-amz-user-agent"]).toBe(`aws-sdk-js/${sdkPackage.version}`);
  });

  it.each([
    ["eu-central-1", "https://dynamodb.eu-central-1.amazonaws.com/"],
    ["cn-north-1", "https://dynamodb.cn-north-1.amazonaws.com.cn/"],
    ["us-gov-west-1", "https://dynamodb.us-gov-west-1.amazonaws.com/"],
    ["eu-south-9", "https://dynamodb.eu-south-9.amazonaws.com/"],
  ])("go to %s where that is the region", async (region, address) => {
    vi.stubEnv("AWS_REGION", region);
    expect(addressOf(await sent(cut))).toBe(address);
  });

  it("go where the whole's go, in every region that the SDK knows", async () => {
    const known = whole.partitionsInfo.partitions.flatMap(({ regions }) => Object.keys(regions));
    // Not `aws-global` and its like, which are no places for a function.
    for (const region of known.filter((name) => /-\d+$/.test(name)))
      expect(addressOf(await sent(cut, { region }))).toBe(addressOf(await sent(whole, { region })));
    expect(known.length).toBeGreaterThan(40);
  });

  it.each<[string, Record<string, string>, Config, string]>([
    ["AWS_ENDPOINT_URL", { AWS_ENDPOINT_URL: "http://one.test:1" }, {}, "http://one.test:1/"],
    [
      "AWS_ENDPOINT_URL_DYNAMODB rather than AWS_ENDPOINT_URL",
      { AWS_ENDPOINT_URL: "http://one.test:1", AWS_ENDPOINT_URL_DYNAMODB: "https://two.test/under" },
      {},
      "https://two.test/under/",
    ],
    [
      "the client's endpoint",
      { AWS_ENDPOINT_URL: "http://one.test:1" },
      { endpoint: "http://[::1]:3" },
      "http://[::1]:3/",
    ],
    [
      "the region, where endpoints in the environment are to be ignored",
      { AWS_ENDPOINT_URL: "http://one.test:1", AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: "true" },
      {},
      "https://dynamodb.eu-central-1.amazonaws.com/",
    ],
  ])("go to %s", async (_, environment, config, address) => {
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    const ours = addressOf(await sent(cut, config));
    expect(ours).toBe(addressOf(await sent(whole, config)));
    expect(ours).toBe(address);
  });

  it("go nowhere without credentials, and without a FIPS endpoint where one is asked for", async () => {
    vi.stubEnv("AWS_USE_FIPS_ENDPOINT", "true");
    await expect(sent(cut)).rejects.toThrow("This bundle knows no FIPS");
    vi.stubEnv("AWS_ACCESS_KEY_ID", undefined);
    await expect(sent(cut)).rejects.toThrow("CredentialsProviderError");
    await expect(sent(whole)).rejects.toThrow("CredentialsProviderError");
  });
});
