import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Connection } from "./connection.ts";
import type { Community, Me, Membership, Tier } from "./odis.ts";

/** What a person wants to buy. */
export type Order = { readonly tier_id: number; readonly interval: "month" | "year" };

export type View = "home" | "sign_in" | "sign_up" | "confirm" | "forgotten" | "account" | "plan" | "checkout";

/** Detail of the event `odis-access`. */
export type AccessChange = {
  /** Whether the person may enter. Also false for visitors who are not signed in. */
  readonly granted: boolean;
  /** Undefined for visitors who are not signed in. */
  readonly membership: Membership | undefined;
};

/** What all parts of a club share. */
type ClubContext = Connection & {
  readonly community: Community;
  readonly tiers: readonly Tier[];
  /** The person who is signed in. Null for a visitor. */
  readonly user: Me["user"];
  /** Undefined for a visitor. */
  readonly membership: Membership | undefined;
  /** Reloads the person and the membership. */
  readonly reload: () => void;
  /** Shows a view, with a message above it. `email` is the address to which a code was sent. */
  readonly go: (view: View, message?: ComponentChildren, email?: string, password?: string) => void;
  /** Opens the checkout of a tier. A visitor signs up first. */
  readonly join: (order: Order) => Promise<void>;
  /** Continues after a sign-in: at the checkout if the person has chosen a tier before. */
  readonly enter: () => Promise<void>;
};

/** Every part of a club is in a club, so the context has no default. */
export const Context = createContext({} as ClubContext);

export const useClub = (): ClubContext => useContext(Context);
