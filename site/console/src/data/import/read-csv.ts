import { separatorOf } from "../../../../../lib/domain/csv.ts";

/** A record of a file: its cells, and the line on which it begins, from 1. */
export type Row = { readonly line: number; readonly cells: readonly string[] };

/**
 * Reads CSV (RFC 4180), or cells that were copied from a spreadsheet. The separator is a comma, or the semicolon or tab that
 * spreadsheets write in some locales and formats. Empty records are left out. A
 * quotation mark that is never closed belongs to the text.
 */
export function readCsv(text: string): readonly Row[] {
  const source = text.replace(/^\uFEFF/, "");
  const { separator, preamble } = separatorOf(source);
  const next = new RegExp(`(?:"([^"]*(?:""[^"]*)*)"|([^${separator}\\r\\n]*))(${separator}|\\r\\n|\\r|\\n|$)`, "y");
  next.lastIndex = preamble.length;
  const rows: Row[] = [];
  let cells: string[] = [];
  let begin = preamble === "" ? 1 : 2;
  for (let line = begin; ; ) {
    const [, quoted, plain = "", ending = ""] = next.exec(source) ?? [];
    cells.push(quoted?.replaceAll('""', '"') ?? plain);
    line += quoted?.match(/\r\n|\r|\n/g)?.length ?? 0;
    if (ending === separator) continue;
    if (cells.some((cell) => cell.trim() !== "")) rows.push({ line: begin, cells });
    if (next.lastIndex >= source.length) return rows;
    line += 1;
    begin = line;
    cells = [];
  }
}

/**
 * The text of a file in UTF-8 or UTF-16, or in Windows-1252, which old spreadsheets write.
 *
 * @throws Error for a workbook
 */
export async function textOf(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const [first, second] = bytes;
  const starts = (one: number, other: number): boolean => first === one && second === other;
  if (starts(0x50, 0x4b) || starts(0xd0, 0xcf))
    throw new Error("This file is a workbook. Save it as CSV in your spreadsheet, or copy its cells and paste them.");
  if (starts(0xfe, 0xff)) return new TextDecoder("utf-16be").decode(bytes);
  if (starts(0xff, 0xfe)) return new TextDecoder("utf-16le").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}
