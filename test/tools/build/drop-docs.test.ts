import { SourceMap } from "node:module";
import { describe, expect, it } from "vitest";
import { withoutDocs } from "../../../tools/build/drop-docs.ts";

const domain = (source: string) => withoutDocs(source, "lib/domain/it.ts").split("\n//# sourceMappingURL=")[0];
const contract = (source: string) => withoutDocs(source, "lib/contract/it.ts").split("\n//# sourceMappingURL=")[0];

describe("documentation in bundles", () => {
  it.each([
    ["the fields of a schema", "documented(v.object({ a }), { a: 'A.' })", "documented(v.object({ a }))"],
    [
      "the fields of a schema inside another",
      "documented(v.object({ a: documented(b, { c: 'C.' }) }), { a: 'A.' })",
      "documented(v.object({ a: documented(b) }))",
    ],
    ["metadata", "v.pipe(v.string(), v.metadata({ format: 'uri' }), v.url())", "v.pipe(v.string(), v.url())"],
    ["a variable named …Docs", "const timeDocs = { created_at: 'When.' };", "const timeDocs = 0;"],
    [
      "the value of a property named …Docs",
      "const rules = { pays: true, countDocs: 'All.' };",
      "const rules = { pays: true, countDocs: 0 };",
    ],
  ])("the build removes %s", (_, source, expected) => {
    expect(domain(source)).toBe(expected);
  });

  it("the build removes summary and description of routes", () => {
    expect(contract("export const show = { method: 'GET', summary: 'Show', description: 'It.' };")).toBe(
      "export const show = { method: 'GET', summary: 0, description: 0 };",
    );
  });

  it("the build keeps fields of schemas named summary and description", () => {
    const source = "const Benefit = v.object({ description: v.string(), metadata: Metadata, summary: v.string() });";
    expect(domain(source)).toBe(source);
  });

  it("the source map has the original lines", () => {
    const [text = "", map = ""] = withoutDocs("documented(\n  a,\n  b,\n);\nthrow 1;", "lib/domain/it.ts").split("//#");
    const sourceMap = new SourceMap(JSON.parse(Buffer.from(map.split("base64,")[1] ?? "", "base64").toString()));
    const line = text.split("\n").indexOf("throw 1;");
    expect(sourceMap.findEntry(line, 0)).toMatchObject({ originalSource: "it.ts", originalLine: 4 });
  });
});
