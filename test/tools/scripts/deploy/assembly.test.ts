import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, CfnOutput, Stack } from "aws-cdk-lib";
import { afterAll, beforeEach, expect, it } from "vitest";
import { writeAssembly } from "../../../../tools/scripts/deploy/assembly.ts";

const folders: string[] = [];
const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "odis-assembly-"));
  folders.push(folder);
  return folder;
};
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

const stack = "odis-prod";
let assembly: string;
beforeEach(() => {
  assembly = newFolder();
  const app = new App({ outdir: assembly });
  new CfnOutput(new Stack(app, stack, { tags: { stage: "prod" } }), "Now", { value: "new" }).overrideLogicalId("Now");
  app.synth();
});

const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as {
    artifacts: Record<string, { properties: Record<string, unknown> }>;
  };

it("an assembly made from the previous template has that template with the roles and tags of the new assembly", async () => {
  const template = JSON.stringify({ Outputs: { Now: { Value: "old" } } });
  const hash = createHash("sha256").update(template).digest("hex");
  const folder = newFolder();
  await writeAssembly(template, { assembly, folder, stack });

  expect(readdirSync(folder).toSorted()).toEqual(["manifest.json", `${stack}.assets.json`, `${stack}.template.json`]);
  expect(readFileSync(join(folder, `${stack}.template.json`), "utf8")).toBe(template);
  const { files } = JSON.parse(readFileSync(join(folder, `${stack}.assets.json`), "utf8")) as {
    files: Record<string, { destinations: Record<string, { objectKey: string }> }>;
  };
  expect(Object.keys(files)).toEqual([hash]);
  expect(Object.values(files[hash]?.destinations ?? {}).map(({ objectKey }) => objectKey)).toEqual([`${hash}.json`]);
  const [before, after] = [assembly, folder].map((one) => manifestOf(one).artifacts[stack]?.properties);
  expect(after?.stackTemplateAssetObjectUrl).toMatch(new RegExp(`^s3://.*/${hash}\\.json$`));
  expect(after).toEqual({ ...before, stackTemplateAssetObjectUrl: after?.stackTemplateAssetObjectUrl });
});

it("an assembly without the stack is refused", async () => {
  await expect(writeAssembly("{}", { assembly, folder: newFolder(), stack: "odis-other" })).rejects.toThrow(
    "odis-other",
  );
});
