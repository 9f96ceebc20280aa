import { isDeepStrictEqual } from "node:util";
import { isOk, mayHaveActed, type Outcome } from "./requests.ts";

/** A field of a record, such as the notes of a member. */
type Field = { readonly kind: string; readonly id: string | number; readonly field: string };

/** Fields that store sets and are returned as lists. */
const unordered: readonly string[] = ["tier_ids", "producer_ids"];

const comparable = ({ field }: Field, value: unknown): unknown =>
  unordered.includes(field) && Array.isArray(value) ? value.map(String).toSorted() : value;

type Written = {
  readonly value: unknown;
  readonly from: number;
  /** Latest time at which the write took effect. Infinity if nobody got a response. */
  readonly to: number;
  readonly isAcknowledged: boolean;
};

/** Records the writes to each field of each record, and so the values that the field may have. */
export class Acknowledged {
  readonly #fields = new Map<string, Field & { readonly written: Written[] }>();

  /** Records a write and its outcome. A refused write changes nothing. */
  write(field: Field, value: unknown, outcome: Pick<Outcome, "status" | "from" | "to"> & Partial<Outcome>): void {
    if (!mayHaveActed(outcome as Outcome)) return;
    const isAcknowledged = isOk(outcome as Outcome);
    const to = isAcknowledged ? outcome.to : Number.POSITIVE_INFINITY;
    this.#of(field).push({ value, from: outcome.from, to, isAcknowledged });
    if (outcome.mayRepeat) this.#of(field).push({ value, from: outcome.from, to: Infinity, isAcknowledged: false });
  }

  /** Records a change that was made in another system and takes effect here later. */
  changedElsewhere(field: Field, value: unknown, at: number): void {
    this.#of(field).push({ value, from: at, to: at, isAcknowledged: false });
  }

  fields(): Field[] {
    return [...this.#fields.values()];
  }

  /** Whether a field may have a value at a time. Any value is possible before the first acknowledged write. */
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

  /** Describes the writes to a field, for error messages. */
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
