import { handler as show } from "../../../functions/members/show.ts";
import { handler as update } from "../../../functions/members/update.ts";
import { membersOf } from "../world/records.ts";
import { isOk } from "../world/requests.ts";
import type { Act } from "./act.ts";
import type { Scene } from "./scene.ts";

/** Keys that metadata must not contain at any depth (`docs/api.md`, section 3). */
const forbidden = ["constructor", "prototype", "__proto__", ""];
const keys = ["a", "color", "size", "since", "Z"];

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Whether a value contains a forbidden key at any depth. */
export const hasForbidden = (value: unknown): boolean =>
  isObject(value) && Object.entries(value).some(([key, inner]) => forbidden.includes(key) || hasForbidden(inner));

/** Creates an object with one key. Also works for `__proto__`, which an object literal treats as the prototype. */
export const entry = (key: string, value: unknown): object => Object.fromEntries([[key, value]]);

function metadataPatch({ chance, name }: Scene): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  if (chance.is(0.4)) patch.notes = `notes of ${name}`;
  for (const key of keys) if (chance.is(0.35)) patch[key] = chance.is(0.15) ? null : valueOf(name, chance.next());
  if (!chance.is(0.08)) return patch;
  const key = chance.pick(forbidden) ?? "";
  const odd = chance.is(0.5) ? entry(key, "kept") : { nest: entry(key, 1) };
  return Object.fromEntries([...Object.entries(patch), ...Object.entries(odd)]);
}

const valueOf = (name: string, draw: number): unknown =>
  draw < 0.6 ? `${name} ${draw}` : draw < 0.8 ? Math.round(draw * 1000) : { b: name, a: [draw > 0.9, null] };

/** A PATCH of a member's metadata or address, sometimes with If-Match, and sometimes of an erased member. */
export const editMember: Act = async (scene) => {
  const { chance, world, name } = scene;
  const managed = scene.managed(chance.is(0.2) ? anErasedMember(scene) : undefined);
  if (!managed) return;
  const { member, params, as } = managed;
  const address = chance.is(0.35) ? addressOf(name) : undefined;
  const metadata = address === undefined || chance.is(0.3) ? metadataPatch(scene) : undefined;
  const body = { member: { ...(metadata && { metadata }), ...(address && { shipping_address: address }) } };
  const shown = chance.is(0.3) ? await scene.call(show, { as, params }) : undefined;
  const etag = shown?.headers.etag;
  const condition = typeof etag === "string" && { headers: { "if-match": etag } };
  const outcome = await scene.call(update, { as, params, body, ...condition });

  // Statuses of refusals for another reason: the caller has lost the community or sends too many requests, or the record has
  // changed since it was read.
  const isRefused = [403, 412, 422, 429].includes(outcome.status) || outcome.status > 500;
  if (hasForbidden(metadata) && !isRefused)
    world.violate("forbidden keys", `metadata ${JSON.stringify(metadata)} was answered ${outcome.status}, not 422`);
  const write = (field: string, value: unknown) =>
    world.acknowledged.write({ kind: "member", id: member.id, field }, value, outcome);
  if (member.erased_at !== undefined && String(outcome.body.detail).startsWith("Too many requests"))
    world.violate("erased people", `an edit of erased member ${member.id} gave up, and was not refused`);
  if (address) write("shipping_address", address);
  for (const [key, value] of Object.entries(metadata ?? {}))
    write(key === "notes" ? "notes" : `metadata.${key}`, value === null && key !== "notes" ? undefined : value);
  if (isOk(outcome) && metadata) assertShown(scene, metadata, outcome.body.metadata as Record<string, unknown>);
};

const anErasedMember = (scene: Scene) =>
  scene.subject() ? undefined : scene.chance.pick(membersOf(scene.world).filter(({ erased_at }) => erased_at));

/** Asserts that the response contains the acknowledged metadata. */
function assertShown({ world }: Scene, patch: Record<string, unknown>, shown: Record<string, unknown>): void {
  const lost = Object.entries(patch).filter(([key, value]) => value !== null && !Object.hasOwn(shown, key));
  if (lost.length > 0)
    world.violate("acknowledged writes", `metadata ${lost.map(([key]) => key).join()} was answered 200 and lost`);
}

export const addressOf = (name: string) => ({
  name: "Ana Ruiz",
  line1: `${name} Road`,
  line2: "",
  city: "Oaxaca",
  state: "",
  postal_code: "68000",
  country: "MX",
  phone: `${name.length} 951`,
});
