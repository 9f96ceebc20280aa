import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { type AnyCaller, isKeyCaller } from "../auth/caller.ts";
import { type ApiKeyRight, assertHasRight, invalidKey, isAdmin } from "../auth/policy.ts";
import type { Right } from "../auth/rights.ts";
import type { Route } from "../contract/route.ts";
import type { Grant, PlaceIn } from "../guards/guard.ts";
import * as apiKeyUse from "../store/api-key-use.ts";
import { conditionsOf } from "../store/ownership.ts";
import type { Writer } from "../store/table.ts";
import { findPlace } from "../store/team-places.ts";
import type { TeamRole } from "../values/team-role.ts";
import type { AddressOf } from "../verified-address.ts";
import type { EffectOptions, Effects } from "./effects.ts";
import type { Guard, GuardInput } from "./handler.ts";
import { ignoreRejection } from "./ignore-rejection.ts";
import { prefersCsv } from "./reply.ts";
import { typed } from "./typed.ts";

type AuthorizationParts<R extends Route, G extends Grant> = {
  readonly guard: Guard<R, G>;
  readonly options: EffectOptions;
  readonly effects: Effects;
};

type RequestParts = {
  readonly route: Route;
  readonly event: APIGatewayProxyEventV2;
  readonly caller: AnyCaller | undefined;
  readonly params: Readonly<Record<string, unknown>>;
  readonly table: Writer | undefined;
  readonly epoch: number;
  readonly addressOf: AddressOf | undefined;
};

/** A grant with the role that allows the request. Undefined for the owner, admins and routes without roles. */
export type Authorized<G extends Grant> = G & {
  readonly role: TeamRole | undefined;
  /** The API key that makes the request. */
  readonly apiKey?: ApiKeyRight | undefined;
};

/** Calls the guard of a request and decides whether the caller has the right that the request needs. */
export function authorization<R extends Route, G extends Grant>(
  { guard, options, effects }: AuthorizationParts<R, G>,
  { route, event, caller, params, table, epoch, addressOf }: RequestParts,
) {
  const right = rightOf(route, event);
  const placeIn: PlaceIn = async (communityId) =>
    right && caller && table && !isKeyCaller(caller) && !isAdmin(caller)
      ? findPlace(table, communityId, caller.id)
      : undefined;
  // Other transactions could fail after an effect. Only those that begin an effect check the right (`whileAuthorized`).
  const isOneWrite = (!route.billing && !options.writesInSteps) || options.writesLast === true;

  /** @throws Problem `invalid_token` */
  const findApiKey = async (): Promise<ApiKeyRight | undefined> => {
    if (!caller || !isKeyCaller(caller) || !table || effects.mayHaveHappened) return undefined;
    const apiKey = await apiKeyUse.use(table, caller);
    if (!apiKey) throw invalidKey();
    return apiKey;
  };

  return {
    /** @throws Problem `forbidden`, `invalid_token` */
    grant: async (): Promise<Authorized<G>> => {
      const finding = ignoreRejection(findApiKey());
      const guarding = ignoreRejection(guard(typed<GuardInput<R>>({ caller, params, table, placeIn, addressOf })));
      const apiKey = await finding;
      const grant = await guarding;
      // A request that has had an effect is completed even if the caller has lost the right.
      if (route.access !== "owner" || effects.mayHaveHappened) return { ...grant, role: undefined };
      const selfId = route.orSelf ? params.user_id : undefined;
      return { ...grant, apiKey, role: assertHasRight({ right, caller, selfId, epoch }, { ...grant, apiKey }) };
    },

    /** The table for one decision. For a handler that writes in several transactions, each write counts as an effect. */
    openedFor: ({ owned, place, role, apiKey }: Authorized<G>, writer: Writer | undefined): Writer | undefined => {
      const onWrite = () => {
        effects.mayHaveHappened = true;
      };
      const opened = writer && options.writesInSteps ? { ...writer, onWrite } : writer;
      if (!opened || !owned || route.access !== "owner") return opened;
      const conditions = conditionsOf({ owned, place: role && place, apiKey });
      if (isOneWrite) return { ...opened, conditions };
      return { ...opened, authorization: () => (effects.mayHaveHappened ? [] : conditions) };
    },
  };
}

/** The right that a request needs from a role. */
const rightOf = ({ right, csvRight }: Route, { headers }: APIGatewayProxyEventV2): Right | undefined =>
  csvRight && prefersCsv(headers.accept) ? csvRight : right;
