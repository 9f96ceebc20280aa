import { execFile } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { show } from "#lib/contract/communities.ts";
import { health } from "#lib/contract/system.ts";
import packageJson from "../../package.json" with { type: "json" };
import { cloudFormation } from "../../tools/scripts/deploy/cloudformation.ts";
import { admin, startApi } from "../support/api.ts";
import { aCommunity, type GivenCommunity } from "../support/given.ts";
import { copyProject, deploy, destroy, project, stack, synthesize } from "./deploy.ts";
import { startFront } from "./front.ts";

const api = startApi();
const assembly = inject("deployed")?.folder ?? "";

/** Folder of another working copy, in which sources are changed. */
let copy: string;
let community: GivenCommunity;
beforeAll(async () => {
  // An earlier restore has raised the epoch, and a deployment must not lower it.
  const { Epoch } = (await cloudFormation().describe(stack))?.outputs ?? {};
  copy = copyProject({ allowOrigins: ["https://app.example.com"], epoch: Number(Epoch) });
  community = await aCommunity(api.table);
});
afterAll(() => rmSync(copy, { recursive: true }));

function setVersion(version: string): void {
  const text = readFileSync(join(project, "package.json"), "utf8");
  writeFileSync(join(copy, "package.json"), text.replace(`"${packageJson.version}"`, `"${version}"`));
}

/**
 * A resource that CloudFormation cannot create, because its secret does not exist. It fails after a function has
 * changed.
 */
const impossible = {
  Type: "AWS::SecretsManager::SecretTargetAttachment",
  DependsOn: ["SystemHealth"],
  Properties: { SecretId: "nothing", TargetId: "nothing", TargetType: "AWS::RDS::DBInstance" },
};

const versionNow = async () => (await api.call(health, {})).body.version;
const isThere = async () => (await api.call(show, { as: admin, params: { id: community.id } })).status === 200;

/** Runs `npm run deploy` for the copy's stack, whose URL is not that of CloudFront. */
async function release(url: string): Promise<{ readonly code: number; readonly out: string }> {
  const words = ["--stage", "sandbox", "--yes", "--wait", "0", "--url", url];
  const script = ["tools/scripts/deploy.ts", ...words, "--assembly", await synthesize(assembly, { from: copy })];
  const options = { cwd: copy, env: { ...process.env, CDK_VALIDATION: "false" }, maxBuffer: 64 * 1024 * 1024 };
  const { code, stdout, stderr } = await promisify(execFile)(process.execPath, script, options).then(
    (done) => ({ ...done, code: 0 }),
    (failed: { code: number; stdout: string; stderr: string }) => failed,
  );
  return { code, out: stdout + stderr };
}

describe("npm run deploy", () => {
  it("npm run deploy shows the changes, deploys them, and checks that the API responds and has the existing data", async () => {
    const front = await startFront(inject("deployed")?.url ?? "");
    setVersion("96.0.0");
    const { code, out } = await release(front.url);
    await front.close();
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringContaining("The new version is deployed and responds."),
    });
    expect(out).toContain("[~] AWS::Lambda::Function Api/SystemHealth");
    expect({ version: await versionNow(), isThere: await isThere() }).toEqual({ version: "96.0.0", isThere: true });
  });

  it("npm run deploy deploys the previous version again if the new one does not respond correctly", async () => {
    const front = await startFront(inject("deployed")?.url ?? "", { isBroken: true });
    setVersion("97.0.0");
    const { code, out } = await release(front.url);
    await front.close();
    expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining("Deploying the previous version again.") });
    expect({ version: await versionNow(), isThere: await isThere() }).toEqual({ version: "96.0.0", isThere: true });
  });
});

describe("a stack that is in use", () => {
  it("CloudFormation rolls back a change that cannot be deployed completely", async () => {
    setVersion("99.0.0");
    const change = { from: copy, adding: { Impossible: impossible } };
    await expect(deploy(assembly, change)).rejects.toThrow("odis-sandbox failed to deploy");
    expect(await versionNow()).toBe("96.0.0");
  });

  it("a stack whose change was rolled back is the same as before the change", async () => {
    await deploy(assembly);
    expect({ version: await versionNow(), isThere: await isThere() }).toEqual({
      version: packageJson.version,
      isThere: true,
    });
  });

  it("a stack cannot be destroyed while it is protected", async () => {
    await cloudFormation().protect(stack);
    await expect(destroy(assembly)).rejects.toThrow("TerminationProtection is enabled");
    expect(await versionNow()).toBe(packageJson.version);
  });
});
