import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Connection } from "./connection.ts";
import { type AccessChange, Context, type Order, useClub, type View } from "./context.ts";
import { Home } from "./home.tsx";
import { isFree } from "./is-free.ts";
import { type Community, OdisProblem, type Tier } from "./odis.ts";
import { Failure, Link, Loading, Title } from "./parts.tsx";
import { delays, forgetReturn, isReturn, returnUrl } from "./redirect.ts";
import { SignIn } from "./sign-in.tsx";
import { SignUp } from "./sign-up.tsx";
import { ended, messageOf } from "./texts.ts";
import { useRequest } from "./use-request.ts";

/** How long the club waits for access after a payment, in milliseconds. */
const timeout = 20_000;

const views = {
  home: Home,
  sign_in: SignIn,
  sign_up: SignUp,
  confirm: AccountView,
  forgotten: AccountView,
  account: AccountView,
  plan: AccountView,
};

/** The views of people who have an account are a script of their own, so that visitors do not load it. */
function AccountView({ view, ...account }: Omit<Shown, "message">) {
  const { data, error, reload } = useRequest(() => import("./account-views.ts"), []);
  if (error !== undefined) return <Failure title="Your account could not be loaded" error={error} onRetry={reload} />;
  if (!data) return <Loading label="Loading your account" />;
  if (view === "confirm") return <data.Confirm {...account} />;
  if (view === "forgotten") return <data.Forgotten {...account} />;
  return view === "plan" ? <data.Plan /> : <data.Account />;
}

/** After a return from the payment for the first paid tier, which may have been left without paying. */
function Changed() {
  const { membership } = useClub();
  const isPaid = membership && !isFree(membership);
  return isPaid ? "Your plan was changed." : "If you have paid, your plan changes in a moment.";
}

type Props = {
  readonly connection: Connection;
  readonly community: Community;
  readonly tiers: readonly Tier[];
  readonly onAccess: (change: AccessChange) => void;
};

type Shown = {
  readonly view: View;
  readonly message?: ComponentChildren;
  readonly email?: string | undefined;
  readonly password?: string | undefined;
};

/** Knows who is signed in, what they may enter, and which view they see. */
export function Loaded({ connection, community, tiers, onAccess }: Props) {
  const { odis, session } = connection;
  const path = { community_id: community.id };
  const [{ message, ...shown }, setShown] = useState<Shown>({ view: "home" });
  const { view } = shown;
  const [chosen, setChosen] = useState<Order>();
  const go = (next: View, text?: ComponentChildren, email?: string, password?: string): void => {
    // Whoever comes back to the tiers has given up the choice.
    if (next === "home") setChosen(undefined);
    setShown({ view: next, message: text, email, password });
  };

  const [state, setState] = useState(session.state);
  useEffect(() => {
    const update = () => setState(session.state());
    update();
    return session.subscribe(update);
  }, []);

  const hasPaid = isReturn(community.id, "joined");
  const { data, error, isLoading, reload } = useRequest(
    async (signal) => {
      if (state.status !== "signed_in") return { state, user: null, membership: undefined };
      const [{ user }, membership] = await Promise.all([
        odis.get("/odis/v1/me", { signal }),
        hasPaid
          ? odis.waitForAccess(community.id, { timeout, signal })
          : odis.get("/odis/v1/communities/{community_id}/membership", { params: { path }, signal }),
      ]).catch(rejected);
      return { state, user, membership };
    },
    [state],
  );
  const { user = null, membership } = data?.state === state ? data : {};
  const granted = membership?.access.granted ?? false;

  useEffect(() => {
    if (data && data.state === state && state.status !== "restoring") onAccess({ granted, membership });
    if (!hasPaid || !granted) return;
    forgetReturn();
    const name = user?.first_name && `, ${user.first_name}`;
    go("home", <slot name="welcome">{`Welcome${name}! Your membership is active.`}</slot>);
  }, [data]);
  useEffect(() => {
    // After the back button, the browser may show the page as it was left, on the way to the checkout.
    const leave = ({ persisted }: PageTransitionEvent): void => {
      setShown((before) => (before.view === "checkout" ? { view: "home" } : before));
      if (persisted) reload();
    };
    addEventListener("pageshow", leave);
    const hasChanged = isReturn(community.id, "changed");
    if (hasChanged || isReturn(community.id, "account")) {
      forgetReturn();
      go("account", hasChanged && <Changed />);
      for (const delay of delays) setTimeout(reload, delay);
    }
    return () => removeEventListener("pageshow", leave);
  }, []);

  /** Ends a session whose token the API rejects, for example after an erasure. Nothing else leads back to the sign-in. */
  async function rejected(failure: unknown): Promise<never> {
    if (failure instanceof OdisProblem && failure.status === 401) {
      go("sign_in", ended);
      await session.signOut();
    }
    throw failure;
  }
  async function checkout(order: Order): Promise<void> {
    const { url } = await odis.post("/odis/v1/communities/{community_id}/checkout_sessions", {
      params: { path },
      body: { ...order, success_url: returnUrl(community.id, "joined"), cancel_url: location.href },
    });
    location.assign(url);
  }
  async function join(order: Order): Promise<void> {
    if (user) return checkout(order);
    setChosen(order);
    go("sign_up");
  }
  async function enter(): Promise<void> {
    if (!chosen) return go("home");
    go("checkout");
    await checkout(chosen).catch((failure: unknown) => go("home", messageOf(failure)));
    setChosen(undefined);
  }

  if (error !== undefined && data?.state !== state)
    return <Failure title="Your membership could not be loaded" error={error} onRetry={reload} />;
  const isExpected = hasPaid && state.status === "signed_in" && !granted && membership?.access.reason !== "blocked";
  const giveUp = (): void => {
    forgetReturn();
    go("home");
  };
  if (isExpected) return <Waiting isOver={data?.state === state && !isLoading} onRetry={reload} onBack={giveUp} />;
  if (data?.state !== state || state.status === "restoring") return <Loading label="Loading your membership" />;
  if (view === "checkout") return <Loading label="Opening the checkout" />;
  const Current: ComponentType<Omit<Shown, "message">> =
    (view === "account" || view === "plan") && !user ? SignIn : views[view];
  const hasEnded = state.status === "signed_out" && state.hasEnded;
  const text = message ?? (hasPaid && !user ? "Sign in to see your membership." : hasEnded && ended);
  return (
    <Context.Provider value={{ ...connection, community, tiers, user, membership, reload, go, join, enter }}>
      <div role="status">{text && <p class="notice good">{text}</p>}</div>
      <Current {...shown} />
    </Context.Provider>
  );
}

type WaitingProps = { readonly isOver: boolean; readonly onRetry: () => void; readonly onBack: () => void };

/** After a payment, until the API knows of it. */
const Waiting = ({ isOver, onRetry, onBack }: WaitingProps) =>
  isOver ? (
    <>
      <Title text="Your payment is not confirmed yet" />
      <p>Your membership starts as soon as the payment is confirmed, unless it was refunded.</p>
      <button type="button" onClick={onRetry}>
        Check again
      </button>
      <Link onClick={onBack}>Back to the tiers</Link>
    </>
  ) : (
    <>
      <Title text="Confirming your payment" />
      <slot name="waiting">
        <p>This takes a moment.</p>
      </slot>
      <Loading label="Waiting for the payment" />
    </>
  );
