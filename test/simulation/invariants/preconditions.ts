import type { Item } from "#lib/store/expression.ts";
import { itemFromWire } from "../table/native.ts";
import type { Attempt } from "../world/answers.ts";
import { isOk, type Outcome } from "../world/requests.ts";
import { editOf, recordIn, tagged } from "../world/tags.ts";
import type { World } from "../world/world.ts";
import { PastState } from "./past-state.ts";

/** A conditional request about a record, with the ETag that it requires. */
type Conditional = Attempt & { readonly record: string; readonly tag: string };

/** Fields that If-Match ignores (`docs/api.md`, section 1, "Concurrency"). */
const notCovered: readonly string[] = [
  "member_count",
  "trending",
  "sequence",
  "last_success_at",
  "failing_since",
  "secret",
];

/**
 * Of several requests with the same ETag at most one changes the record, one that is answered 412 changes nothing, and
 * a change replaces the version that the caller has seen.
 */
export function assertPreconditions(world: World): void {
  const past = new PastState(world);
  const wrong = ({ name, record, outcome }: Conditional, text: string) =>
    world.violate("preconditions", `${name} of ${record} at ${outcome.from} ${text}`);
  const conditional = world.answers.attempts.flatMap(conditionalOf);
  for (const attempt of conditional.filter(({ outcome }) => outcome.status === 412)) {
    const written = past.writtenBy(attempt.outcome.headers["x-request-id"]).filter(isOfRecord);
    if (written.length > 0) wrong(attempt, `was answered 412 and has written ${written.join()}`);
  }
  const begun = new Set(conditional.filter((attempt) => mayHaveBegun(past, attempt)).map(({ call }) => call.key));
  // A request that writes at Stripe compares the ETag before that, and its effect may reach the record before the request
  // does. A retry completes what an earlier request with its key has begun, whatever has happened since.
  const changing = conditional.filter(
    (attempt) => isChange(attempt) && !attempt.outcome.hasWrittenAtStripe && !begun.has(attempt.call.key ?? ""),
  );
  for (const those of Map.groupBy(changing, ({ record, tag }) => `${record} ${editOf(tag)}`).values())
    for (const attempt of those.slice(1)) wrong(attempt, `is another change of the version ${attempt.tag}`);

  const seen = new Map(
    world.answers.attempts.flatMap(({ name, call, outcome }) => {
      const record = tagged(name, call, outcome);
      return record ? [[`${record.name} ${editOf(record.tag)}`, outcome.body] as const] : [];
    }),
  );
  const replaced = replacedBy(world);
  for (const attempt of changing) {
    const before = replaced.get(`${String(attempt.outcome.headers["x-request-id"])} ${attempt.record.split(" ")[1]}`);
    const body = seen.get(`${attempt.record} ${editOf(attempt.tag)}`);
    const other = before && body && shownAsStored(body).find((name) => isOther(name, body[name], before[name]));
    if (other) wrong(attempt, `replaced ${other} ${JSON.stringify(before[other])}, not ${JSON.stringify(body[other])}`);
  }
}

/** Whether a request that has failed may have begun its effect, which another one with its key completes. */
function mayHaveBegun(past: PastState, { outcome: { status, headers, hasWrittenAtStripe } }: Conditional): boolean {
  const requestId = headers["x-request-id"];
  if (status < 500) return false;
  return requestId === undefined || hasWrittenAtStripe || past.writtenBy(requestId).some(isOfRecord);
}

/** Whether an item is a record or belongs to one, and not only to the request. */
const isOfRecord = (key: string): boolean => !key.startsWith("IDEMPOTENCY#");

function conditionalOf(attempt: Attempt): Conditional[] {
  const { name, call } = attempt;
  const tag = call.headers?.["if-match"];
  const record = recordIn(name, call.params);
  return tag === undefined || record === undefined ? [] : [{ ...attempt, tag, record }];
}

/** Whether a request has changed its record. A stored response has no further effect. */
function isChange({ name, tag, outcome }: Conditional): boolean {
  if (!isOk(outcome) || outcome.headers["idempotency-replayed"] !== undefined) return false;
  const { etag } = outcome.headers as { readonly etag?: string };
  if (etag === undefined) return name.startsWith("DELETE ");
  return editOf(etag) !== editOf(tag);
}

/** The items that requests have replaced, by the id of the request and of the record. */
function replacedBy({ changes }: World): ReadonlyMap<string, Item> {
  const found = new Map<string, Item>();
  for (const { by, record } of changes) {
    const { OldImage } = record.dynamodb;
    const id = OldImage?.id?.N ?? OldImage?.id?.S;
    const name = `${by} ${id}`;
    if (OldImage && by !== undefined && id !== undefined && !found.has(name))
      found.set(
        name,
        itemFromWire(OldImage, (list) => list),
      );
  }
  return found;
}

/**
 * The fields of a response that are stored. A destination whose right has ended is shown as disabled before that is
 * stored.
 */
const shownAsStored = (body: Outcome["body"]): string[] =>
  Object.keys(body).filter((name) => !endedBy.includes(name) || (body.disabled_reason ?? null) === null);

const endedBy: readonly string[] = ["status", "disabled_reason"];

/** Whether a field that both the response and the stored record have differs. Lists and objects may be stored otherwise. */
const isOther = (name: string, shown: Outcome["body"][string], stored: unknown): boolean =>
  !notCovered.includes(name) && stored !== undefined && typeof shown !== "object" && shown !== stored;
