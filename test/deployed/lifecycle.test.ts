import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { show } from "#lib/contract/communities.ts";
import { health } from "#lib/contract/system.ts";
import packageJson from "../../package.json" with { type: "json" };
import { protectStack } from "../../tools/scripts/protect-stack.ts";
import { admin, startApi } from "../support/api.ts";
import { aCommunity, type GivenCommunity } from "../support/given.ts";
import { deploy, deployedFunctions, destroy, project, stack } from "./deploy.ts";

const api = startApi();
const assembly = inject("deployed")?.folder ?? "";

/** Another working copy, where changes are made. */
let copy: string;
let community: GivenCommunity;
beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), "odis-change-"));
  for (const part of ["cdk.json", "package.json", "openapi.json", "functions", "infra", "lib", "site", "tools"])
    cpSync(join(project, part), join(copy, part), { recursive: true });
  symlinkSync(join(project, "node_modules"), join(copy, "node_modules"));
  community = await aCommunity(api.table);
});
afterAll(() => rmSync(copy, { recursive: true }));

function setVersion(version: string): void {
  const text = readFileSync(join(project, "package.json"), "utf8");
  writeFileSync(join(copy, "package.json"), text.replace(`"${packageJson.version}"`, `"${version}"`));
}

/** A resource that CloudFormation comes to once it has changed a function, and cannot make: there is no such secret. */
const impossible = {
  Type: "AWS::SecretsManager::SecretTargetAttachment",
  DependsOn: ["SystemHealth"],
  Properties: { SecretId: "nothing", TargetId: "nothing", TargetType: "AWS::RDS::DBInstance" },
};

const versionNow = async () => (await api.call(health, {})).body.version;
const isThere = async () => (await api.call(show, { as: admin, params: { id: community.id } })).status === 200;

describe("a stack that is in use", () => {
  it("serves a change once that is deployed, with the data that was there", async () => {
    expect(await versionNow()).toBe(packageJson.version);
    setVersion("98.0.0");
    await deploy(assembly, { from: copy });
    expect({ version: await versionNow(), isThere: await isThere() }).toEqual({ version: "98.0.0", isThere: true });
  });

  it("is put back by CloudFormation where a part of a change cannot be deployed", async () => {
    setVersion("99.0.0");
    const change = { from: copy, adding: { Impossible: impossible } };
    await expect(deploy(assembly, change)).rejects.toThrow("odis-sandbox failed to deploy");
    expect(await versionNow()).toBe("98.0.0");
  });

  it("is what it was before once the change is rolled back", async () => {
    await deploy(assembly);
    expect({ version: await versionNow(), isThere: await isThere() }).toEqual({
      version: packageJson.version,
      isThere: true,
    });
  });

  it("cannot be destroyed while it is protected", async () => {
    await protectStack(stack);
    await expect(destroy(assembly)).rejects.toThrow("TerminationProtection is enabled");
    expect(await versionNow()).toBe(packageJson.version);
  });

  it("leaves nothing behind when it is destroyed", async () => {
    await protectStack(stack, false);
    await destroy(assembly);
    expect([...(await deployedFunctions()).keys()]).toEqual([]);
    expect((await api.send(health.path)).status).toBe(404);
  });
});
