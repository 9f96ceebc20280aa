/** A JSON value in its canonical form (RFC 8785): the same text for the same value, whatever the order of its members. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  const members: string[] = [];
  for (const name of Object.keys(value).toSorted()) {
    const member = (value as Readonly<Record<string, unknown>>)[name];
    if (member !== undefined) members.push(`${JSON.stringify(name)}:${canonicalJson(member)}`);
  }
  return `{${members.join(",")}}`;
}
