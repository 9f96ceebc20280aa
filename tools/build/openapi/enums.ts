/** Names of enums, by one of the places where they occur. */
const names: Readonly<Record<string, string>> = {
  "Member.status": "MemberStatus",
  "Access.reason": "AccessReason",
  "Member.interval": "BillingInterval",
  "Tier.status": "RecordStatus",
  "TiersList?status": "StatusFilter",
  "Community.trending_pin": "TrendingPin",
  "Destination.status": "DestinationStatus",
  "Destination.disabled_reason": "DisabledReason",
  "Delivery.status": "DeliveryStatus",
  "Attempt.error": "AttemptError",
  "RefundEntry.reason": "RefundReason",
  "RefundEntry.status": "RefundStatus",
  "RefundRequest.reason": "RequestedRefundReason",
  "CancellationRequest.mode": "CancellationMode",
  "ChangeAnswer.status": "ChangeStatus",
  "ChangeAnswer.when": "ChangeTime",
  "Activity.action": "MemberAction",
  "Activity.actor.type": "ActorType",
  "CommunitiesActivity?type": "RecordType",
  "PersonalData.memberships[].activity[].actor": "DataActor",
  "Series.metric": "SeriesMetric",
  "Series.interval": "SeriesInterval",
  "Blocker.code": "BlockerCode",
  "Problem.errors[].code": "IssueCode",
  "TeamMember.role": "TeamRole",
  "Transaction.type": "TransactionType",
  "Movement.access": "AccessChange",
  "Movement.monthly.kind": "MovementKind",
};

type Part = Record<string, unknown>;
type Enum = { readonly place: string; readonly schema: Part };

/**
 * Makes a component of each enum that has a name or occurs in several places, so that generators create one type for it.
 *
 * @throws Error if an enum that occurs in several places has no name
 */
export function withNamedEnums<Document extends { readonly components: { readonly schemas: Part } }>(
  document: Document,
): Document {
  const copy = structuredClone(document);
  const { schemas } = copy.components;
  for (const [values, uses] of Map.groupBy(enumsIn(copy, ""), ({ schema }) => JSON.stringify(schema.enum))) {
    const places = new Set(uses.map(({ place }) => place));
    const [name] = [...places].flatMap((place) => names[place] ?? []);
    if (places.size < 2 && name === undefined) continue;
    if (name === undefined)
      throw new Error(`Name the enum ${values} in tools/build/openapi/enums.ts: ${[...places].join(", ")}`);
    for (const { schema } of uses) {
      delete schema.type;
      delete schema.enum;
      schema.$ref = `#/components/schemas/${name}`;
    }
    const list = JSON.parse(values) as readonly string[];
    schemas[name] = { type: "string", enum: list, examples: list.slice(0, 1) };
  }
  return copy;
}

function* enumsIn(part: unknown, place: string): Generator<Enum> {
  if (!isPart(part)) return;
  if (part.type === "string" && Array.isArray(part.enum)) yield { place, schema: part };
  for (const [key, value] of Object.entries(part))
    if (!["example", "examples", "enum"].includes(key)) yield* enumsIn(value, placeOf(value, key, place));
}

/** The place of a part: `Member.status` in a schema, `TiersList?status` for a parameter. */
function placeOf(part: unknown, key: string, parent: string): string {
  if (!isPart(part)) return parent;
  if (typeof part.operationId === "string") return part.operationId;
  if (typeof part.in === "string") return `${parent}?${String(part.name)}`;
  if (key === "items") return `${parent}[]`;
  if (/^(?:\d+|components|schemas|properties|anyOf|schema|parameters)$/.test(key)) return parent;
  return parent === "" ? key : `${parent}.${key}`;
}

const isPart = (part: unknown): part is Part => typeof part === "object" && part !== null;
