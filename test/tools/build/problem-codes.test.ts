import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { issueCodes, problems } from "#lib/problem.ts";
import { openapi } from "../../../tools/build/openapi/document.ts";
import { problemSchema } from "../../../tools/build/openapi/responses.ts";
import { problemsPage } from "../../../tools/build/site/problems-page.ts";

const [, errors = ""] = readFileSync("docs/api.md", "utf8").split("### Errors");
const [tableOfProblems = "", tableOfFields = ""] = (errors.split("\n## ")[0] ?? "").split(
  "`errors[].code` is always one of the following",
);

/** The cells of the rows of a table in Markdown. */
const rowsOf = (text: string): string[][] =>
  Array.from(text.matchAll(/^\|(.*)\|$/gm), ([, row = ""]) => row.split("|").map((cell) => cell.trim()));
const codesIn = (cell = ""): string[] => Array.from(cell.matchAll(/`(\w+)`/g), ([, code = ""]) => code);

describe("the documentation of error codes", () => {
  it("docs/api.md lists every problem with its status, and no others", () => {
    let status = "";
    const listed = rowsOf(tableOfProblems).flatMap(([first = "", codes]) => {
      status = first || status;
      return codesIn(codes).map((code) => `${status} ${code}`);
    });
    expect(listed.toSorted()).toEqual(problems.map(({ status: number, code }) => `${number} ${code}`).toSorted());
  });

  it("docs/api.md lists every code of errors[], and no others", () => {
    const listed = rowsOf(tableOfFields).flatMap(([codes]) => codesIn(codes));
    expect(listed.toSorted()).toEqual(issueCodes.toSorted());
  });

  it("the problems page explains every code of errors[]", () => {
    const page = problemsPage();
    expect(issueCodes.filter((code) => !page.includes(`<dt id="errors-${code}">`))).toEqual([]);
  });

  it("openapi.json has the codes of errors[] as an enum, and those of problems as known values", () => {
    expect(problemSchema.properties.code["x-extensible-enum"].toSorted()).toEqual(
      problems.map((problem) => problem.code).toSorted(),
    );
    expect(openapi().components.schemas).toMatchObject({
      IssueCode: { enum: issueCodes },
      Problem: {
        properties: { errors: { items: { properties: { code: { $ref: "#/components/schemas/IssueCode" } } } } },
      },
    });
  });
});
