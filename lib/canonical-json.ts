/** The canonical form of a JSON value (RFC 8785). Does not depend on the order of object members. */
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
