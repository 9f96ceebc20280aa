import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";

const Manifest = v.looseObject({
  artifacts: v.record(v.string(), v.looseObject({ properties: v.optional(v.record(v.string(), v.unknown())) })),
});
const Assets = v.looseObject({
  files: v.record(
    v.string(),
    v.looseObject({
      source: v.looseObject({ path: v.optional(v.string()) }),
      destinations: v.record(v.string(), v.looseObject({ objectKey: v.string() })),
    }),
  ),
});

async function read<Schema extends v.GenericSchema>(schema: Schema, path: string): Promise<v.InferOutput<Schema>> {
  return v.parse(schema, JSON.parse(await readFile(path, "utf8")));
}
const write = (path: string, contents: object) => writeFile(path, JSON.stringify(contents));

/**
 * Writes an assembly that deploys another template of the same stack, such as the deployed one from CloudFormation. A
 * local copy of the last assembly could be outdated, because deployments can come from several machines. The new
 * assembly contains no assets: they are still in the bootstrap bucket.
 *
 * @param assembly assembly of the stack, from which roles and bucket are taken
 * @param folder empty folder for the new assembly
 */
export async function writeAssembly(
  template: string,
  { assembly, folder, stack }: { readonly assembly: string; readonly folder: string; readonly stack: string },
): Promise<void> {
  const [manifest, assets] = await Promise.all([
    read(Manifest, join(assembly, "manifest.json")),
    read(Assets, join(assembly, `${stack}.assets.json`)),
  ]);
  const templateFile = `${stack}.template.json`;
  const [found] = Object.entries(assets.files).filter(([, { source }]) => source.path === templateFile);
  if (!found) throw new Error(`${assembly} has no template of ${stack}`);
  const [before, file] = found;
  const hash = createHash("sha256").update(template).digest("hex");
  const properties = propertiesOf(manifest, stack);
  properties.stackTemplateAssetObjectUrl = String(properties.stackTemplateAssetObjectUrl).replace(before, hash);
  for (const destination of Object.values(file.destinations)) destination.objectKey = `${hash}.json`;
  const { [stack]: ofStack, [`${stack}.assets`]: ofAssets } = manifest.artifacts;
  await Promise.all([
    write(join(folder, "manifest.json"), {
      ...manifest,
      artifacts: { [stack]: { ...ofStack, additionalMetadataFile: undefined }, [`${stack}.assets`]: ofAssets },
    }),
    write(join(folder, `${stack}.assets.json`), { ...assets, files: { [hash]: file } }),
    writeFile(join(folder, templateFile), template),
  ]);
}

function propertiesOf({ artifacts }: v.InferOutput<typeof Manifest>, stack: string): Record<string, unknown> {
  const properties = artifacts[stack]?.properties;
  if (!properties) throw new Error(`The assembly has no stack ${stack}`);
  return properties;
}
