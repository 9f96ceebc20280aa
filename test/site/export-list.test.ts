import { expect, it } from "vitest";
import { exportList } from "../../site/console/src/data/export-list.ts";

/** Pages of CSV by their URL, of which each but the last names the next one. */
function readerOf(pages: readonly string[]) {
  const asked: string[] = [];
  const read = async (path: string) => {
    const page = asked.push(path) - 1;
    const link = page + 1 < pages.length ? `</next?cursor=${page + 1}>; rel="next"` : "";
    return { text: pages[page] ?? "", headers: new Headers({ link }) };
  };
  return { read, asked };
}

const mark = "\uFEFF";
const header = "id,notes\r\n";

it("an exported list has the header once, and counts a record with line breaks once", async () => {
  const records = ['1,"likes ""reposado""\r\nand añejo"\r\n', "2,\r\n", '3,"a\nb\nc"\r\n'];
  const { read, asked } = readerOf([header + records[0] + records[1], header + records[2], header]);
  const counts: number[] = [];
  const blob = await exportList(1, "members", { status: "active", query: "" }, read, (count) => counts.push(count));
  expect(new TextDecoder("utf-8", { ignoreBOM: true }).decode(await blob.arrayBuffer())).toBe(
    mark + header + records.join(""),
  );
  expect(counts).toEqual([2, 3, 3]);
  expect(asked).toEqual(["/odis/v1/communities/1/members?status=active&per=100", "/next?cursor=1", "/next?cursor=2"]);
});

it("shipping labels have no byte order mark, and pages as large as the API allows", async () => {
  const { read, asked } = readerOf([`${header}1,\r\n`]);
  const blob = await exportList(7, "members", { columns: "labels" }, read, () => {});
  expect(new TextDecoder("utf-8", { ignoreBOM: true }).decode(await blob.arrayBuffer())).toBe(`${header}1,\r\n`);
  expect(asked).toEqual(["/odis/v1/communities/7/members?columns=labels"]);
});
