import { linksOf } from "#lib/domain/brand.ts";
import type { Actor } from "#lib/store/activity.ts";
import { decideAgain } from "#lib/store/again.ts";
import * as brands from "#lib/store/brands.ts";
import type { Writer } from "#lib/store/table.ts";

/** Names of brands, and whether the first producer, the second, or both have them. */
const demoBrands: readonly (readonly [name: string, of: "first" | "second" | "both"])[] = [
  ["Ánima del Agave", "first"],
  ["Casa Ñandú Espadín", "first"],
  ["Corazón de Tepeztate", "first"],
  ["Doña Brígida Tobalá", "first"],
  ["Última Palabra", "first"],
  ["100% Cuishe", "first"],
  ["Ardbruach 10", "second"],
  ["Glen Tormod Cask Strength", "second"],
  ["Kilbrannan “Sea Salt”", "second"],
  ["O’Rourke & Daughters", "second"],
  ["Weißdorn Korn", "second"],
  ["Smoke & Stone", "both"],
];

/** Adds brands to a table without any. */
export async function addBrands(table: Writer, [first, second]: readonly [string, string], by: Actor): Promise<void> {
  const producersOf = { first: [first], second: [second], both: [first, second] };
  for (const [name, of] of demoBrands)
    await decideAgain(table, () => brands.add(table, { name, producer_ids: linksOf(producersOf[of]) }, by));
}
