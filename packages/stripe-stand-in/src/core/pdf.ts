/** A PDF file of one page with these lines. Characters outside Latin-1 are replaced. */
export function pdf(lines: readonly string[]): string {
  const text = lines.map((line) => `(${escaped(line)}) Tj T*`).join("\n");
  const content = `BT /F1 12 Tf 18 TL 72 720 Td\n${text}\nET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 4 0 R >> >> /Contents 5 0 R >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
  ];
  let file = "%PDF-1.4\n";
  const offsets = objects.map((object, n) => {
    const offset = file.length;
    file += `${n + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, "0")} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join("")}`;
  return `${file}${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
}

/** The text of a PDF string, in ASCII, so that its length in characters is its length in bytes. */
const escaped = (text: string): string =>
  Array.from(text, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code > 255) return "?";
    return /[()\\]/.test(character) || code > 126 ? `\\${code.toString(8).padStart(3, "0")}` : character;
  }).join("");
