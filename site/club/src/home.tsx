import { useClub } from "./context.ts";
import type { Tier } from "./odis.ts";
import { Action, Link, Notice, Title } from "./parts.tsx";
import { Portal } from "./portal.tsx";
import { notices, termOf } from "./texts.ts";
import { Tiers } from "./tiers.tsx";

/** The tiers for those who have no access, and the benefits for those who have. */
export function Home() {
  const { community, user, membership, go } = useClub();
  const { name, member_count, status } = community;
  const { granted = false, reason = "not_a_member" } = membership?.access ?? {};
  const notice = notices[reason];
  const canJoin = status === "active" && reason !== "blocked" && reason !== "unpaid";
  return (
    <>
      <header>
        <slot name="heading">
          <Title text={name} />
        </slot>
        {user ? (
          <Link onClick={() => go("account")}>My account</Link>
        ) : (
          <Link onClick={() => go("sign_in")}>Sign in</Link>
        )}
      </header>
      <slot name="intro">
        <p class="muted">{member_count === 1 ? "1 member" : `${member_count.toLocaleString("en-US")} members`}</p>
      </slot>
      {notice && (
        <Notice kind="bad">
          {notice}
          {reason === "past_due" && <Portal>Update your card</Portal>}
        </Notice>
      )}
      {granted ? (
        <Inside />
      ) : (
        <>
          <slot name="visitors" />
          {status !== "active" && <Notice>This community is archived. It does not take new members.</Notice>}
          <Tiers>{(tier) => <Join tier={tier} canJoin={canJoin} isBack={reason === "ended"} />}</Tiers>
          <slot name="terms" />
        </>
      )}
    </>
  );
}

type JoinProps = {
  readonly tier: Tier;
  readonly canJoin: boolean;
  /** Whether the person was a member before, and so gets no trial. */
  readonly isBack: boolean;
};

/** The ways to join a tier. */
function Join({ tier, canJoin, isBack }: JoinProps) {
  const { join } = useClub();
  const { id, name, monthly_price_dollars: monthly, yearly_price_dollars: yearly } = tier;
  const days = monthly && tier.trial_days;
  return (
    <>
      <p class="muted">{days > 0 ? `${days} days free for new members` : "Cancel at any time"}</p>
      {tier.requires_shipping_address && <p class="muted">Ships to you: checkout asks for your address.</p>}
      {canJoin && (
        <p class="actions">
          <Action onClick={() => join({ tier_id: id, interval: "month" })}>
            {days > 0 && !isBack ? `Try ${name} for ${days} days` : `Join ${name}`}
          </Action>
          {yearly && (
            <Action class="quiet" onClick={() => join({ tier_id: id, interval: "year" })}>
              {`Join ${name} for a year`}
            </Action>
          )}
        </p>
      )}
    </>
  );
}

/** What only people with access see. */
function Inside() {
  const { membership } = useClub();
  if (!membership) return null;
  const { access, tier, benefits } = membership;
  return (
    <>
      <p class="standing">
        <strong>
          {access.reason === "owner" ? "This is your community" : `You are in: ${tier?.name ?? "member"}`}
        </strong>
        <span class="muted">{termOf(membership)}</span>
      </p>
      <slot name="members" />
      <ul class="benefits">
        {benefits.map(({ id, name, description }) => (
          <li key={id}>
            <h3>{name}</h3>
            {description && <p class="muted">{description}</p>}
          </li>
        ))}
      </ul>
    </>
  );
}
