import { isDeepStrictEqual } from "node:util";
import { isOk, mayHaveActed, type Outcome } from "./requests.ts";

/** A field of a record, such as the notes of a member. */
type Field = { readonly kind: string; readonly id: string | number; readonly field: string };

/** Sets that are shown as lists. */
const unordered: readonly string[] = ["tier_ids", "producer_ids"];

const comparable = ({ field }: Field, value: unknown): unknown =>
  unordered.includes(field) && Array.isArray(value) ? value.map(String).toSorted() : value;

type Written = {
  readonly value: unknown;
  readonly from: number;
  /** When it had been done at the latest; never, for one that nobody was told of. */
  readonly to: number;
  readonly isAcknowledged: boolean;
};

/** What was written to each field of each record, and so what may stand there. */
export class Acknowledged {
  readonly #fields = new Map<string, Field & { readonly written: Written[] }>();

  /** Notes a write with what came of it. A write that was refused changes nothing. */
  write(field: Field, value: unknown, outcome: Pick<Outcome, "status" | "from" | "to"> & Partial<Outcome>): void {
    if (!mayHaveActed(outcome as Outcome)) return;
    const isAcknowledged = isOk(outcome as Outcome);
    const to = isAcknowledged ? outcome.to : Number.POSITIVE_INFINITY;
    this.#of(field).push({ value, from: outcome.from, to, isAcknowledged });
    if (outcome.mayRepeat) this.#of(field).push({ value, from: outcome.from, to: Infinity, isAcknowledged: false });
  }

  /** Notes a change that was made somewhere else, and that shows here in time. */
  changedElsewhere(field: Field, value: unknown, at: number): void {
    this.#of(field).push({ value, from: at, to: at, isAcknowledged: false });
  }

  fields(): Field[] {
    return [...this.#fields.values()];
  }

  /** Whether a value may stand in a field at a time. Before anything was acknowledged, anything may. */
  mayBe(field: Field, value: unknown, at = Number.POSITIVE_INFINITY): boolean {
    const written = this.#of(field).filter(({ from }) => from <= at);
    const known = written.filter(({ isAcknowledged, to }) => isAcknowledged && to < at);
    if (known.length === 0) return true;
    const given = comparable(field, value);
    return written.some(
      (one) =>
        isDeepStrictEqual(comparable(field, one.value), given) &&
        !known.some((later) => later !== one && later.from > one.to),
    );
  }

  /** What was written to a field, for people. */
  show(field: Field): string {
    return this.#of(field)
      .map(({ value, isAcknowledged }) => `${JSON.stringify(value)}${isAcknowledged ? "" : " (unknown)"}`)
      .join(", ");
  }

  #of(field: Field): Written[] {
    const name = `${field.kind} ${field.id} ${field.field}`;
    const known = this.#fields.get(name) ?? { ...field, written: [] };
    this.#fields.set(name, known);
    return known.written;
  }
}
