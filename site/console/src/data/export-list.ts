import { type OdisOptions, requesting } from "../../../../client/requesting.ts";

type CsvPage = { readonly text: string; readonly headers: Headers };

/** Reads a page of CSV. @throws OdisProblem, TypeError, SignInError */
export type CsvReader = (path: string) => Promise<CsvPage>;

/** Reads CSV as the client of the API reads JSON: with the token of the person, and again if necessary. */
export function csvReader(options: OdisOptions): CsvReader {
  const request = requesting({
    ...options,
    fetch: async (sent) => {
      const response = await fetch(sent);
      const { status, headers } = response;
      if (!headers.get("content-type")?.startsWith("text/csv")) return response;
      return Response.json(await response.text(), { status, headers: { link: headers.get("link") ?? "" } });
    },
  });
  return async (path) => {
    const { data, headers } = await request("GET", path, { params: { header: { accept: "text/csv" } } });
    return { text: String(data), headers };
  };
}

type Filters = Readonly<Record<string, string | undefined>>;

/** A list of a community that the API returns as CSV. */
export type CsvList = "activity" | "members" | "movements" | "transactions";

/**
 * All records of a list that match the filters as CSV, in pages of 100, or of 5,000 for shipping labels. The API makes the columns,
 * and marks text that a spreadsheet would run as a formula.
 *
 * @param onProgress called with the number of records so far
 * @throws OdisProblem, TypeError, SignInError if a page cannot be read
 */
export async function exportList(
  communityId: number,
  list: CsvList,
  filters: Filters,
  readCsv: CsvReader,
  onProgress: (count: number) => void,
): Promise<Blob> {
  const given = Object.entries(filters).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const query = new URLSearchParams(filters.columns ? given : [...given, ["per", "100"]]);
  let url: string | undefined = `/odis/v1/communities/${communityId}/${list}?${query}`;
  const parts: string[] = [];
  let count = 0;
  while (url !== undefined) {
    const { text: page, headers }: CsvPage = await readCsv(url);
    parts.push(parts.length === 0 ? page : withoutHeader(page));
    count += linesOf(page) - 1;
    onProgress(count);
    url = /<([^>]+)>;\s*rel="next"/.exec(headers.get("link") ?? "")?.[1];
  }
  // Excel takes a file without a byte order mark for Windows-1252. Software for labels expects none.
  return new Blob(filters.columns ? parts : ["\uFEFF", ...parts], { type: "text/csv" });
}

const withoutHeader = (page: string): string => page.slice(page.indexOf("\n") + 1);

/** Returns the records of a CSV text. A line break inside quotes does not end a record. */
function linesOf(page: string): number {
  const unquoted = page.replaceAll(/"(?:[^"]|"")*"/g, "");
  return unquoted.trimEnd().split("\n").length;
}
