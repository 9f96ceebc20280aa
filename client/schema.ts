// Written by `npm run openapi` from the contract. Do not edit.

type NumberedPage<Item> = {
  /** Total number of records on all pages. */
  total: number;
  /** Whether there is another page. */
  has_more: boolean;
  /** Number of this page. */
  page: number;
  /** Maximum number of records on a page. */
  per: number;
  /** The records on this page. */
  data: Item[];
};

type CursorPage<Item> = {
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. `null` on the last page. */
  next_cursor: string | null;
  /** The records on this page. */
  data: Item[];
};

export type ListingPage = NumberedPage<Listing>;

export type Listing = {
  /** Unique identifier of the community in discovery. */
  id: string;
  /** Identifier of the community in all other routes. */
  community_id: number;
  /** Name of the community. */
  name: string;
  /** Unique name for use in URLs. */
  slug: string;
  /** Number of members who have access, at most a minute old. */
  member_count: number;
  /** HTTPS URL of the community's picture. `null` if there is none. */
  avatar_url: string | null;
  /** Badge of the caller's tier. `null` if the caller is not a member. */
  tier_badge: string | null;
  /** Whether the caller is a member. */
  is_member: boolean;
};

export type MemberPage = {
  /** Number of members that match the filters, at most a minute old. `null` with `query`, `has_shipping_address` or `is_canceling`, or if the members have not been counted yet. */
  total: number | null;
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. `null` on the last page. */
  next_cursor: string | null;
  /** The records on this page. */
  data: Member[];
};

export type Member = {
  /** Unique identifier of the member. */
  id: number;
  /** Status of the subscription in Stripe. Active, trialing and past-due members have access. */
  status: MemberStatus;
  /** Whether the member may enter, and why. Does not show that the community's owner may always enter. */
  access: Access;
  /** Time at which access was first granted. The time of joining, for imported members. `null` before. */
  joined_at: string | null;
  /** Start of the current billing period. */
  current_period_start: string;
  /** End of the current billing period. */
  current_period_end: string;
  /** Whether the subscription ends with the current billing period. */
  cancel_at_period_end: boolean;
  /** Time at which the subscription will end. `null` if no end is scheduled. */
  cancel_at: string | null;
  /** Billing period of the subscription. `null` for other periods, without a subscription in Stripe, and until the first synchronization after an update of Odis. */
  interval: BillingInterval | null;
  /** What the next renewal charges, after discounts, before tax and credit, in US cents. `null` if there is no next renewal. */
  price_cents: number | null;
  /** The change that is scheduled for the end of the period. `null` if there is none. */
  scheduled_change: {
    /** The tier from then on. */
    tier: {
      /** Unique identifier of the tier. */
      id: number;
      /** Name of the tier. */
      name: string;
    };
    /** Billing period from then on. */
    interval: BillingInterval | null;
    /** What each renewal then charges, after discounts, before tax and credit, in US cents. */
    price_cents: number;
    /** Time of the change. */
    at: string;
  } | null;
  /** Start of the free trial. `null` if there was none. */
  trial_start: string | null;
  /** End of the free trial. `null` if there was none. */
  trial_end: string | null;
  /** Time at which the cancellation was requested. `null` if the subscription was not canceled. */
  canceled_at: string | null;
  /** Time at which the subscription ended. `null` if it has not ended. */
  ended_at: string | null;
  /** Address for shipments. Eight empty strings if no address is stored. */
  shipping_address: ShippingAddress;
  /** Read-only figures, `notes` and your own keys. */
  metadata: {
    /** Total amount paid minus refunds, in US cents. */
    lifetime_spend_cents: number;
    /** Whether the member is blocked. */
    blocked: boolean;
    /** Time at which the member was blocked. `null` if the member is not blocked. */
    blocked_at: string | null;
    /** Identifier of the user who blocked the member. `null` if the member is not blocked, and if an API key blocked them. */
    blocked_by: number | null;
    /** Why the member was blocked. `null` if no reason was given or the member is not blocked. */
    block_reason: string | null;
    /** The newest 100 refunds. The totals cover all of them. */
    refunds: RefundEntry[];
    /** Free text about the member. Empty if there is none. */
    notes: string;
    [name: string]: unknown;
  };
  /** Whether the member is blocked. A block ends access but keeps the subscription. */
  is_blocked: boolean;
  /** Why the member was blocked. `null` if no reason was given or the member is not blocked. */
  block_reason: string | null;
  /** Total amount refunded, in US dollars. */
  total_refunded: number;
  /** Total amount refunded, in US cents. */
  total_refunded_cents: number;
  /** Total amount paid minus refunds, in US cents. */
  lifetime_spend_cents: number;
  /** Whether the member's tier requires a shipping address. */
  requires_shipping_address: boolean;
  /** Whether a shipping address is stored. */
  has_shipping_address: boolean;
  /** Profile of the person. */
  user: Person;
  /** The tier that the member subscribes to. */
  membership_tier: {
    /** Unique identifier of the tier. */
    id: number;
    /** Name of the tier. */
    name: string;
    /** Monthly price for new members, in US dollars. The subscription details have the price that this member pays. */
    monthly_price_dollars: number;
  };
  /** The community that the member belongs to. */
  community: CommunityReference;
  /** Sequence of the last event that this record includes. Events of the member with a higher `sequence` are newer. The ETag does not cover it. */
  sequence: number;
  /** Time at which the record was created. */
  created_at: string;
  /** Time of the last change. */
  updated_at: string;
};

export type Access = {
  /** Whether the person may enter. */
  granted: boolean;
  /** Why the person may or may not enter. */
  reason: AccessReason;
  /** Time at which access is due to end. `null` if no end is scheduled. */
  until: string | null;
};

export type ShippingAddress = {
  /** Name of the recipient. May be empty. */
  name: string;
  /** Street and number. */
  line1: string;
  /** Apartment, floor or company. May be empty. */
  line2: string;
  /** City or town. */
  city: string;
  /** State, province or region. May be empty. */
  state: string;
  /** ZIP or postal code. May be empty. */
  postal_code: string;
  /** Two-letter country code (ISO 3166-1 alpha-2). */
  country: string;
  /** Phone number of the recipient, for the carrier. May be empty. */
  phone: string;
};

export type RefundEntry = {
  /** Identifier of the refund in Stripe. */
  refund_id: string;
  /** Identifier of the refunded charge in Stripe. */
  charge_id: string;
  /** Refunded amount in US cents. */
  amount_cents: number;
  /** Reason for the refund. `unspecified` if a refund made in Stripe has none. */
  reason: RefundReason;
  /** Status of the refund in Stripe. All but `failed` and `canceled` count as refunded. */
  status: RefundStatus;
  /** Note given with the request. `null` if there is none. */
  note: string | null;
  /** Time at which the refund was requested. */
  issued_at: string;
  /** Identifier of the user who issued the refund. `null` for a refund made in Stripe or with an API key. */
  issued_by: number | null;
};

export type Person = {
  /** Unique identifier of the user. */
  id: number;
  /** Username. */
  username: string;
  /** Email address. */
  email: string;
  /** First name. May be empty. */
  first_name: string;
  /** Last name. May be empty. */
  last_name: string;
};

export type CommunityReference = {
  /** Unique identifier of the community. */
  id: number;
  /** Name of the community. */
  name: string;
};

export type ImportedMembers = {
  /** Number of records in the request. */
  total: number;
  /** Outcome of each record, in the order of the request. */
  data: ImportedMember[];
};

export type ImportedMember = {
  /** Index of the record in the request, starting at 0. */
  index: number;
  /** Identifier of the member. `null` if the record was refused. */
  id: number | null;
  /** `created`; `updated` if the record differs from an earlier import and the member has not been changed since; `unchanged`; or `refused`. */
  outcome: "created" | "updated" | "unchanged" | "refused";
  /** Why the record was refused. */
  errors?: {
    /** JSON Pointer (RFC 6901) to the invalid field of the body. */
    pointer: string;
    /** Error code, for programs. */
    code: IssueCode;
    /** Error message, for people. */
    message: string;
  }[];
};

export type ActivityPage = CursorPage<Activity>;

export type Activity = {
  /** Unique identifier of the entry. */
  id: number;
  /** Time of the action. */
  at: string;
  /** Type of the action. */
  action: MemberAction;
  /** Who performed the action. */
  actor: {
    /** Type of actor: `user`; `api_key`; `stripe` for changes in Stripe, including those at the end of a period; `system` for Odis itself. */
    type: ActorType;
    /** Identifier of the user or API key. `null` for other actors. */
    id: number | null;
    /** Current name of the user: first and last name, or the username of a person who has neither. The name of an API key that is not revoked and has not expired. `null` for other actors and erased people. */
    name: string | null;
  };
  /** The `x-request-id` of the request that made the change. `null` if no request made it. */
  request_id: string | null;
  /** State before the change. `null` if nothing was there before. */
  before: Record<string, unknown> | null;
  /** State after the change. */
  after: Record<string, unknown> | null;
};

export type RefundAnswer = {
  /** The refund. */
  refund: RefundEntry;
  /** The member after the refund. */
  member: Member;
};

export type PaymentHistoryPage = CursorPage<Invoice>;

export type Invoice = {
  /** Identifier of the invoice in Stripe. */
  id: string;
  /** Number printed on the invoice. `null` until it is finalized. */
  number: string | null;
  /** Status of the invoice in Stripe: `draft`, `open`, `paid`, `uncollectible` or `void`. */
  status: string | null;
  /** Three-letter currency code in lower case: always `usd`. */
  currency: string;
  /** Total of the invoice in US cents. */
  total_cents: number;
  /** Amount paid in US cents. */
  amount_paid_cents: number;
  /** Amount due in US cents. */
  amount_due_cents: number;
  /** Start of the billing period. */
  period_start: string;
  /** End of the billing period. */
  period_end: string;
  /** Time at which the invoice was created. */
  created_at: string;
  /** Time of payment. `null` until the invoice is paid. */
  paid_at: string | null;
  /** URL of the invoice's page in Stripe, for the member. */
  hosted_invoice_url: string | null;
  /** URL of the invoice as a PDF file. */
  invoice_pdf: string | null;
  /** Charges that attempted to pay the invoice. */
  charges: Charge[];
};

export type Charge = {
  /** Identifier of the charge in Stripe. */
  id: string;
  /** Status of the charge in Stripe: `succeeded`, `pending` or `failed`. */
  status: string;
  /** Charged amount in US cents. */
  amount_cents: number;
  /** Refunded amount in US cents. */
  amount_refunded_cents: number;
  /** Amount that can still be refunded, in US cents. */
  refundable_cents: number;
  /** Whether the customer has disputed the charge with their bank. */
  disputed: boolean;
  /** Stripe's message on why the charge failed. `null` if it did not fail. */
  failure_message: string | null;
  /** Payment method of the charge. `null` if Stripe does not report one. */
  payment_method: {
    /** Type of payment method in Stripe. */
    type: string;
    /** Brand of the card. `null` for other payment methods. */
    brand: string | null;
    /** Last four digits of the card. `null` for other payment methods. */
    last4: string | null;
  } | null;
  /** URL of Stripe's receipt. */
  receipt_url: string | null;
  /** Time at which the charge was made. */
  created_at: string;
};

export type SubscriptionDetails = {
  /** Identifier of the subscription in Stripe. */
  id: string;
  /** Status of the subscription in Stripe, which has more values than a member's `status`. */
  status: string;
  /** Start of the current billing period. */
  current_period_start: string;
  /** End of the current billing period. */
  current_period_end: string;
  /** Start of the free trial. `null` if there was none. */
  trial_start: string | null;
  /** End of the free trial. `null` if there was none. */
  trial_end: string | null;
  /** Whether the subscription ends with the current billing period. */
  cancel_at_period_end: boolean;
  /** Time at which the subscription will end. `null` if no end is scheduled. */
  cancel_at: string | null;
  /** Time at which the cancellation was requested. `null` if the subscription was not canceled. */
  canceled_at: string | null;
  /** Time at which the subscription ended. `null` if it has not ended. */
  ended_at: string | null;
  /** How payments are collected: `charge_automatically` or `send_invoice`. */
  collection_method: string;
  /** What this member pays. */
  price: {
    /** Identifier of the price in Stripe. */
    id: string;
    /** Price per interval in US cents. */
    unit_amount_cents: number | null;
    /** Three-letter currency code in lower case: always `usd`. */
    currency: string;
    /** Billing interval. */
    interval: string | null;
  };
  /** Payment method for the next invoice: the subscription's, or the customer's if the subscription has none. `null` if there is none. */
  default_payment_method: {
    /** Type of payment method in Stripe. */
    type: string;
    /** Brand of the card. `null` for other payment methods. */
    brand: string | null;
    /** Last four digits of the card. `null` for other payment methods. */
    last4: string | null;
    /** Month in which the card expires, 1 to 12. `null` for other payment methods. */
    exp_month: number | null;
    /** Year in which the card expires. `null` for other payment methods. */
    exp_year: number | null;
  } | null;
  /** The newest invoice. `null` if there is none. */
  latest_invoice: {
    /** Identifier of the invoice in Stripe. */
    id: string;
    /** Status of the invoice in Stripe: `draft`, `open`, `paid`, `uncollectible` or `void`. */
    status: string | null;
    /** Amount due in US cents. */
    amount_due_cents: number;
    /** URL of the invoice's page in Stripe, for the member. */
    hosted_invoice_url: string | null;
    /** Number of attempts to collect the payment. */
    attempts_made: number;
    /** Time of Stripe's next attempt to collect the payment. `null` if none is planned. */
    next_attempt_at: string | null;
  } | null;
  /** Reason that was chosen for the cancellation. `null` if none was given. */
  cancellation_feedback: string | null;
  /** Comment that was given for the cancellation. `null` if there is none. */
  cancellation_comment: string | null;
  /** `false` if the stored record differed from Stripe. This request has updated it. */
  in_sync: boolean;
};

export type Membership = {
  /** Whether the caller counts as a member. */
  is_member: boolean;
  /** Identifier of the caller's member record. `null` if the caller has never subscribed. */
  member_id: number | null;
  /** Whether the caller may enter, and why. */
  access: Access;
  /** Status of the caller's subscription. `null` if the caller has never subscribed. */
  status: MemberStatus | null;
  /** The caller's tier. `null` if there is none. */
  tier: TierFields | null;
  /** The active benefits of the tier, by position. Empty unless access is granted. */
  benefits: Benefit[];
  /** End of the current billing period. */
  current_period_end: string | null;
  /** Whether the subscription ends with the current billing period. */
  cancel_at_period_end: boolean;
  /** Time at which the subscription will end. `null` if no end is scheduled. */
  cancel_at: string | null;
  /** Billing period of the subscription. `null` for other periods, without a subscription in Stripe, and until the first synchronization after an update of Odis. */
  interval: BillingInterval | null;
  /** What the next renewal charges, after discounts, before tax and credit, in US cents. `null` if there is no next renewal. */
  price_cents: number | null;
  /** The change that is scheduled for the end of the period. `null` if there is none. */
  scheduled_change: {
    /** The tier from then on. */
    tier: {
      /** Unique identifier of the tier. */
      id: number;
      /** Name of the tier. */
      name: string;
    };
    /** Billing period from then on. */
    interval: BillingInterval | null;
    /** What each renewal then charges, after discounts, before tax and credit, in US cents. */
    price_cents: number;
    /** Time of the change. */
    at: string;
  } | null;
};

export type TierFields = {
  /** Unique identifier of the tier. */
  id: number;
  /** Name of the tier. */
  name: string;
  /** Badge of the tier's members in discovery. If `null`, the name is shown. */
  badge: string | null;
  /** Position among the tiers, lowest first. By default, a new tier goes last. */
  position: number;
  /** Monthly price in US dollars and whole cents: 0, or at least 0.50. A change applies to new members only. */
  monthly_price_dollars: number;
  /** Yearly price in US dollars and whole cents, at least 0.50. `null` if the tier is only sold by the month. A free tier has none. A change applies to new members only. */
  yearly_price_dollars: number | null;
  /** Length of the free trial in days. Has no effect while the monthly price is 0. */
  trial_days: number;
  /** Whether checkout asks for a shipping address. */
  requires_shipping_address: boolean;
  /** Identifier of the current price in Stripe. `null` without a token. */
  stripe_price_id: string | null;
  /** Identifier of the current yearly price in Stripe. `null` if there is none, and without a token. */
  yearly_stripe_price_id: string | null;
  /** An archived tier takes no new members. */
  status: RecordStatus;
  /** Time at which the record was created. */
  created_at: string;
  /** Time of the last change. */
  updated_at: string;
};

export type Benefit = {
  /** Unique identifier of the benefit. */
  id: number;
  /** Name of the benefit. */
  name: string;
  /** What members get. May be empty. */
  description: string;
  /** Position among the benefits, lowest first. By default, a new benefit goes last. */
  position: number;
  /** Whether the benefit is shown. An archived benefit is hidden from members. */
  status: RecordStatus;
  /** Identifiers of the tiers whose members get the benefit. */
  tier_ids: number[];
  /** The tiers in `tier_ids`, including archived ones, by position. */
  tiers: {
    /** Unique identifier of the tier. */
    id: number;
    /** Name of the tier. */
    name: string;
    /** Position among the tiers, lowest first. */
    position: number;
  }[];
  /** The community that the benefit belongs to. */
  community: CommunityReference;
  /** Time at which the record was created. */
  created_at: string;
  /** Time of the last change. */
  updated_at: string;
};

export type ChangeAnswer = {
  /** `preview` for a dry run. Otherwise whether the change was made, is scheduled, or is made once it is paid at `url`. */
  status: ChangeStatus;
  /** When the change takes effect. */
  when: ChangeTime;
  /** What the change charges now, in US cents: always 0 for an owner's change. */
  charged_now_cents: number;
  /** What is credited for the rest of the present period, in US cents. `charged_now_cents` is already less by it. What exceeds the charge becomes credit for the next invoices. */
  credited_cents: number;
  /** What the next renewal charges, after discounts, before tax and credit, in US cents. */
  next_charge_cents: number | null;
  /** Time of the next renewal. */
  next_charge_at: string | null;
  /** Identifies a preview for 10 minutes. `null` unless this is one. */
  preview_id: string | null;
  /** Stripe's page on which the change can be paid. `null` unless a payment is required. */
  url: string | null;
  /** Time until which the change can be paid. */
  expires_at: string | null;
  /** The member after the change, or unchanged after a preview. */
  member: Member;
};

export type OwnChangeAnswer = {
  /** `preview` for a dry run. Otherwise whether the change was made, is scheduled, or is made once it is paid at `url`. */
  status: ChangeStatus;
  /** When the change takes effect. */
  when: ChangeTime;
  /** What the change charges now, in US cents: always 0 for an owner's change. */
  charged_now_cents: number;
  /** What is credited for the rest of the present period, in US cents. `charged_now_cents` is already less by it. What exceeds the charge becomes credit for the next invoices. */
  credited_cents: number;
  /** What the next renewal charges, after discounts, before tax and credit, in US cents. */
  next_charge_cents: number | null;
  /** Time of the next renewal. */
  next_charge_at: string | null;
  /** Identifies a preview for 10 minutes. `null` unless this is one. */
  preview_id: string | null;
  /** Stripe's page on which the change can be paid. `null` unless a payment is required. */
  url: string | null;
  /** Time until which the change can be paid. */
  expires_at: string | null;
  /** The membership after the change. Unchanged after a preview, and while a payment is required. */
  membership: Membership;
};

export type Me = {
  /** The caller's profile. `null` until their first sign-in creates it. */
  user: Person | null;
  /** The groups that the token grants: `admin`, `editor`. */
  groups: string[];
  /** The newest 100 communities that the caller owns, newest first. */
  owned_communities: {
    /** Unique identifier of the community. */
    id: number;
    /** Identifier of the community in discovery. */
    uuid: string;
    /** Name of the community. */
    name: string;
    /** Unique name for use in URLs. Made from the name if not given. */
    slug: string;
    /** An archived community is not listed and takes no new members. Only admins may change it. */
    status: RecordStatus;
  }[];
  /** Whether the caller owns more than 100 communities. */
  owned_communities_has_more: boolean;
  /** The newest 100 communities that the caller has subscribed to, newest first. */
  memberships: ({
    /** Unique identifier of the member. */
    member_id: number;
    /** The community. */
    community: {
      /** Unique identifier of the community. */
      id: number;
      /** Identifier of the community in discovery. */
      uuid: string;
      /** Name of the community. */
      name: string;
      /** Unique name for use in URLs. Made from the name if not given. */
      slug: string;
      /** An archived community is not listed and takes no new members. Only admins may change it. */
      status: RecordStatus;
    };
    /** The caller's tier. `null` if it no longer exists. */
    tier: {
      /** Unique identifier of the tier. */
      id: number;
      /** Name of the tier. */
      name: string;
      /** Badge of the tier's members in discovery. If `null`, the name is shown. */
      badge: string | null;
    } | null;
    /** Whether the caller may enter, and why. */
    access: Access;
    /** End of the current billing period. */
    current_period_end: string | null;
    /** Whether the subscription ends with the current billing period. */
    cancel_at_period_end: boolean;
    /** Status of the caller's subscription. */
    status: MemberStatus;
  })[];
  /** Whether the caller has more than 100 memberships. */
  memberships_has_more: boolean;
  /** The newest 100 communities in whose team the caller is, newest first. */
  teams: {
    /** The community. */
    community: {
      /** Unique identifier of the community. */
      id: number;
      /** Identifier of the community in discovery. */
      uuid: string;
      /** Name of the community. */
      name: string;
      /** Unique name for use in URLs. Made from the name if not given. */
      slug: string;
      /** An archived community is not listed and takes no new members. Only admins may change it. */
      status: RecordStatus;
    };
    /** What the person may do in the community. */
    role: TeamRole;
  }[];
  /** Whether the caller is in more than 100 teams. */
  teams_has_more: boolean;
  /** The open invitations to the caller's verified email address, newest first, at most 100. `null` if the user pool cannot be reached. */
  invitations: {
    /** Unique identifier of the invitation. */
    id: number;
    /** The invited email address. */
    email: string;
    /** The role that the person gets. */
    role: TeamRole;
    /** Time of the invitation. */
    created_at: string;
    /** Time from which the invitation can no longer be accepted. */
    expires_at: string;
    /** The community. */
    community: {
      /** Unique identifier of the community. */
      id: number;
      /** Identifier of the community in discovery. */
      uuid: string;
      /** Name of the community. */
      name: string;
      /** Unique name for use in URLs. Made from the name if not given. */
      slug: string;
      /** An archived community is not listed and takes no new members. Only admins may change it. */
      status: RecordStatus;
    };
  }[] | null;
};

export type PersonalData = {
  /** The person's profile. `null` if there is none yet. */
  profile: {
    /** Unique identifier of the user. */
    id: number;
    /** Username. */
    username: string;
    /** Email address. */
    email: string;
    /** First name. May be empty. */
    first_name: string;
    /** Last name. May be empty. */
    last_name: string;
    /** Time at which the record was created. */
    created_at: string;
    /** Time of the last change. */
    updated_at: string;
    /** Time at which the person was erased. `null` if they were not. */
    erased_at: string | null;
  } | null;
  /** The person's current and former memberships. */
  memberships: ({
    /** Unique identifier of the member. */
    member_id: number;
    /** The community that the member belongs to. */
    community: CommunityReference;
    /** The tier that the member subscribes to. */
    tier: {
      /** Unique identifier of the tier. */
      id: number;
      /** Name of the tier. */
      name: string;
    };
    /** Status of the subscription in Stripe. Active, trialing and past-due members have access. */
    status: MemberStatus;
    /** Start of the current billing period. */
    current_period_start: string;
    /** End of the current billing period. */
    current_period_end: string;
    /** Whether the subscription ends with the current billing period. */
    cancel_at_period_end: boolean;
    /** Time at which the subscription will end. `null` if no end is scheduled. */
    cancel_at: string | null;
    /** Billing period of the subscription. `null` for other periods, without a subscription in Stripe, and until the first synchronization after an update of Odis. */
    interval: BillingInterval | null;
    /** What the next renewal charges, after discounts, before tax and credit, in US cents. `null` if there is no next renewal. */
    price_cents: number | null;
    /** The change that is scheduled for the end of the period. `null` if there is none. */
    scheduled_change: {
      /** The tier from then on. */
      tier: {
        /** Unique identifier of the tier. */
        id: number;
        /** Name of the tier. */
        name: string;
      };
      /** Billing period from then on. */
      interval: BillingInterval | null;
      /** What each renewal then charges, after discounts, before tax and credit, in US cents. */
      price_cents: number;
      /** Time of the change. */
      at: string;
    } | null;
    /** Start of the free trial. `null` if there was none. */
    trial_start: string | null;
    /** End of the free trial. `null` if there was none. */
    trial_end: string | null;
    /** Time at which the cancellation was requested. `null` if the subscription was not canceled. */
    canceled_at: string | null;
    /** Time at which the subscription ended. `null` if it has not ended. */
    ended_at: string | null;
    /** Whether the member is blocked. A block ends access but keeps the subscription. */
    is_blocked: boolean;
    /** Why the member was blocked. `null` if no reason was given or the member is not blocked. */
    block_reason: string | null;
    /** Total amount refunded, in US cents. */
    total_refunded_cents: number;
    /** Total amount paid minus refunds, in US cents. */
    lifetime_spend_cents: number;
    /** Time at which the record was created. */
    created_at: string;
    /** Time of the last change. */
    updated_at: string;
    /** Notes about the person by the owner, the team and API keys of the community, and by admins. */
    notes: string;
    /** Time at which the member was blocked. `null` if the member is not blocked. */
    blocked_at: string | null;
    /** Identifier of the customer in Stripe. `null` if there is none. */
    stripe_customer_id: string | null;
    /** Address for shipments. `null` if none is stored. */
    shipping_address: ShippingAddress | null;
    /** Custom metadata about the person. */
    metadata: Record<string, unknown>;
    /** All invoices with their charges, newest first, without links to Stripe's pages. */
    payments: Invoice[];
    /** All refunds, newest first. */
    refunds: ({
      /** Identifier of the refund in Stripe. */
      refund_id: string;
      /** Identifier of the refunded charge in Stripe. */
      charge_id: string;
      /** Refunded amount in US cents. */
      amount_cents: number;
      /** Reason for the refund. `unspecified` if a refund made in Stripe has none. */
      reason: RefundReason;
      /** Status of the refund in Stripe. All but `failed` and `canceled` count as refunded. */
      status: RefundStatus;
      /** Note given with the request. `null` if there is none. */
      note: string | null;
      /** Time at which the refund was requested. */
      issued_at: string;
      /** Who issued the refund. `stripe` for a refund made in Stripe. */
      issued_by: DataActor;
    })[];
    /** All disputes of payments, newest first. */
    disputes: {
      /** Identifier of the disputed charge in Stripe. */
      charge_id: string;
      /** Disputed amount in US cents. */
      amount_cents: number;
      /** Status of the dispute in Stripe. */
      status: string;
      /** Identifier of the dispute in Stripe. */
      dispute_id: string;
      /** When the dispute was opened. */
      created_at: string;
    }[];
    /** Cancellation requests of the last 35 days, newest first. */
    cancellations: ({
      /** Time of the request. */
      at: string;
      /** Who requested it. */
      requested_by: DataActor;
      /** Mode of the cancellation: at period end, or immediately. */
      mode: CancellationMode;
      /** Reason given with the request. `null` if there is none. */
      feedback: string | null;
      /** Comment given with the request. `null` if there is none. */
      comment: string | null;
    })[];
    /** The newest 1,000 activity entries of the member, newest first. */
    activity: ({
      /** Unique identifier of the entry. */
      id: number;
      /** Time of the action. */
      at: string;
      /** Type of the action. */
      action: MemberAction;
      /** Who performed the action: `self` for the person, `owner` for the owner of the community. */
      actor: DataActor;
      /** State before the change. `null` if nothing was there before. */
      before: Record<string, unknown> | null;
      /** State after the change. */
      after: Record<string, unknown> | null;
    })[];
    /** Whether there are older entries. */
    activity_has_more: boolean;
  })[];
  /** The communities in whose team the person is. */
  teams: {
    /** The community. */
    community: CommunityReference;
    /** What the person may do in the community. */
    role: TeamRole;
    /** Time at which the person joined the team. */
    created_at: string;
  }[];
  /** The open invitations to the verified email address of the account, or to that of the profile if there is no account. */
  invitations: {
    /** The community. */
    community: CommunityReference;
    /** The invited email address. */
    email: string;
    /** The role that the person gets. */
    role: TeamRole;
    /** Time of the invitation. */
    created_at: string;
    /** Time from which the invitation can no longer be accepted. */
    expires_at: string;
  }[];
};

export type ErasureAnswer = {
  /** Whether the person is erased. */
  erased: boolean;
  /** Whether this was a dry run. */
  dry_run: boolean;
  /** Blockers that prevent the erasure. Empty unless this was a dry run. */
  blockers: Blocker[];
  /** Subscriptions that the erasure would cancel. Empty unless this was a dry run with `cancel_subscriptions`. */
  cancels: CanceledSubscription[];
  /** Number of items that are changed or deleted, by kind. `stripe_customer` and `pool_account` are outside the database. */
  counts: Record<string, number>;
};

export type Blocker = {
  /** Type of blocker. `foreign_subscription` is a live subscription of the same Stripe customer that Odis does not manage. */
  code: BlockerCode;
  /** Identifier of the community. */
  community_id: number;
  /** Identifier of the member. `null` for an owned community. */
  member_id: number | null;
};

export type CanceledSubscription = {
  /** Identifier of the community. */
  community_id: number;
  /** Identifier of the member. */
  member_id: number;
  /** The tier of the subscription. `null` if its price belongs to no tier. */
  tier: {
    /** Unique identifier of the tier. */
    id: number;
    /** Name of the tier. */
    name: string;
  } | null;
};

export type PersonPage = NumberedPage<Person>;

export type CommunityPage = CursorPage<Community>;

export type Community = {
  /** Unique identifier of the community. */
  id: number;
  /** Identifier of the community in discovery. */
  uuid: string;
  /** Name of the community. */
  name: string;
  /** Unique name for use in URLs. Made from the name if not given. */
  slug: string;
  /** Identifier of the user who owns the community. `null` without a token. */
  owner_id: number | null;
  /** HTTPS URL of the community's picture. `null` if there is none. */
  avatar_url: string | null;
  /** An archived community is not listed and takes no new members. Only admins may change it. */
  status: RecordStatus;
  /** Whether the community is marked as trending. */
  trending: boolean;
  /** The trending mark that an admin has forced. `null` without a token, or if the trend score decides. */
  trending_pin: TrendingPin | null;
  /** Number of members who have access, at most a minute old. */
  member_count: number;
  /** Sequence of the last event that this record includes. Events of the community with a higher `sequence` are newer. The ETag does not cover it. */
  sequence: number;
  /** Time at which the record was created. */
  created_at: string;
  /** Time of the last change. */
  updated_at: string;
};

export type EventPage = CursorPage<ListedEvent>;

export type ListedEvent = {
  /** Unique identifier of the event, the same in every delivery. */
  id: string;
  /** Type of the event. */
  type: string;
  /** Time of the change. */
  timestamp: string;
  /** Number that increases with each event of the same `subject`. There may be gaps. */
  sequence: number;
  /** Path of the record. Payments, refunds and disputes belong to their member. */
  subject: string;
  /** Identifier of the community. */
  community_id: number;
  /** State after the change, as in the webhook of this type. */
  data: Record<string, unknown>;
  /** Former values of the fields that changed, as in the webhook of this type. */
  previous: Record<string, unknown>;
  /** In `member.updated` only: names of the fields that changed. */
  changed?: string[];
};

export type MovementPage = CursorPage<Movement>;

export type Movement = {
  /** Time at which Odis recorded the movement. It counts on the UTC day of this time. */
  at: string;
  /** `begun` if the member got access, `ended` if the member lost it. `null` if access did not change. */
  access: AccessChange | null;
  /** Change of the monthly amount: `before_cents` and `after_cents` in US cents, rounded, and its `kind`, as in `movements_30d`. `null` if the amount did not change. */
  monthly: {
    /** Monthly amount before, in US cents, rounded. */
    before_cents: number;
    /** Monthly amount after, in US cents, rounded. */
    after_cents: number;
    /** Effect on the monthly recurring revenue. */
    kind: MovementKind;
  } | null;
  /** The member, with the current name. The name is `null` if the person was erased. */
  member: {
    /** Identifier of the member. */
    id: number;
    /** Current name of the member. `null` if the person was erased. */
    name: string | null;
  };
};

export type Stats = {
  /** Number of members of any status. */
  total: number;
  /** Number of members who have access. */
  member_count: number;
  /** Number of blocked members. */
  blocked: number;
  /** Number of members by status. */
  by_status: {
    /** Members whose subscription is paid. */
    active: number;
    /** Members in their free trial. */
    trialing: number;
    /** Members whose payment failed and is being retried. */
    past_due: number;
    /** Members whose payment failed and is no longer retried, or whose subscription is paused. */
    unpaid: number;
    /** Members whose subscription has ended. */
    canceled: number;
    /** Members whose first payment has not been made. */
    incomplete: number;
  };
  /** Number of members of each tier, by position. */
  by_tier: {
    /** Unique identifier of the tier. */
    id: number;
    /** Name of the tier. */
    name: string;
    /** Number of members of any status. */
    total: number;
    /** Number of members who have access. */
    member_count: number;
  }[];
  /** Monthly recurring revenue from active and past-due members, after discounts, in US cents. Other intervals are converted to months. */
  monthly_recurring_revenue_cents: number;
  /** Movements of the monthly recurring revenue in the last 30 days, today included, by the day on which Odis recorded them. */
  movements_30d: {
    /** Monthly recurring revenue at the start of the 30 days, in US cents. */
    start_cents: number;
    /** Members who paid for the first time. */
    new: {
      /** Monthly recurring revenue that they added, in US cents. */
      cents: number;
      /** Number of members who paid for the first time. */
      members: number;
    };
    /** Members who paid again. */
    reactivated: {
      /** Monthly recurring revenue that they added, in US cents. */
      cents: number;
      /** Number of times that a former payer paid again. */
      members: number;
    };
    /** Members who paid more than before. */
    expansion: {
      /** Increase of the monthly recurring revenue, in US cents. */
      cents: number;
      /** Number of times that a member's amount rose. */
      members: number;
    };
    /** Members who paid less than before. */
    contraction: {
      /** Decrease of the monthly recurring revenue, in US cents, as a negative number. */
      cents: number;
      /** Number of times that a member's amount fell. */
      members: number;
    };
    /** Members who stopped paying. */
    churned: {
      /** Monthly recurring revenue that was lost, in US cents, as a negative number. */
      cents: number;
      /** Number of times that a member's amount became 0. */
      members: number;
    };
    /** Monthly recurring revenue now, in US cents: the start plus all movements. */
    end_cents: number;
  };
  /** Number of times that a member lost access in the last 30 days, today included, divided by the number of members with access at the start, rounded to 4 decimals. `null` if there were none. */
  churn_rate_30d: number | null;
  /** Number of people who got access for the first time in the last 30 days, today included. */
  joined_in_30_days: number;
  /** Number of subscriptions that ended in the last 30 days and were not started again. Imported members do not count, but in the series `left` they do. */
  left_in_30_days: number;
  /** Amount refunded in the last 30 days, in US cents. */
  refunded_in_30_days_cents: number;
  /** Amount paid since the month began in UTC, before refunds and disputes, in US cents. */
  received_this_month_cents: number;
  /** Amount of the disputes that were lost in the last 30 days, less losses that were reversed in this time, in US cents. Can be negative. */
  disputed_in_30_days_cents: number;
};

export type Series = {
  /** The metric of the request. */
  metric: SeriesMetric;
  /** The interval of the request. */
  interval: SeriesInterval;
  /** Unit of the values: `members`, or `cents` for US cents. */
  unit: "members" | "cents";
  /** One point for each period, oldest first. Periods in which nothing happened are included. */
  points: {
    /** First day of the period, in UTC. */
    at: string;
    /** Number of members, or amount in US cents. */
    value: number;
  }[];
};

export type TransactionPage = CursorPage<Transaction>;

export type Transaction = {
  /** Unique identifier: that of the invoice, refund or dispute at Stripe. */
  id: string;
  /** What it is. A payment is a paid invoice of a member. */
  type: TransactionType;
  /** `succeeded` for a payment. Status of a refund or dispute at Stripe, such as `pending` or `needs_response`. */
  status: string;
  /** Day of `at` in UTC. */
  day: string;
  /** Time at which the invoice was paid, the refund was issued or the dispute began. */
  at: string;
  /** Amount in US cents. Always positive. */
  amount_cents: number;
  /** The member, with the current name. The name is `null` if the person was erased. */
  member: {
    /** Identifier of the member. */
    id: number;
    /** Current name of the member. `null` if the person was erased. */
    name: string | null;
  };
  /** Start of the period that the invoice is for. `null` if unknown. */
  period_start: string | null;
  /** End of the period that the invoice is for. `null` if unknown. */
  period_end: string | null;
  /** Charge at Stripe. `null` for an invoice that was paid outside Stripe. */
  charge_id: string | null;
  /** Invoice at Stripe. `null` if unknown. */
  invoice_id: string | null;
  /** Refund at Stripe. `null` for other types. */
  refund_id: string | null;
  /** Dispute at Stripe. `null` for other types. */
  dispute_id: string | null;
  /** Page of the payment or dispute in Stripe's dashboard. */
  stripe_url: string;
  /** Page of the invoice in Stripe's dashboard. `null` without `invoice_id`. */
  invoice_url: string | null;
  /** Stripe's receipt for the member. `null` from 30 days after `at`, because Stripe's link has expired, if the person was erased, and for a transaction that was stored before this version. */
  receipt_url: string | null;
  /** Reason of a refund or dispute, such as `requested_by_customer` or `fraudulent`. `null` for payments, and for a dispute from before the update until the member's next synchronization. */
  reason: string | null;
  /** Time until which a dispute can be answered at Stripe. `null` if there is none. */
  evidence_due_at: string | null;
};

export type CommunityActivityPage = CursorPage<CommunityActivity>;

export type CommunityActivity = {
  /** Unique identifier of the entry. */
  id: number;
  /** Time of the action. */
  at: string;
  /** Type of the action. A request with several changes has one entry. `transferred` (to another owner) takes precedence over `archived` and `unarchived`, which take precedence over `edited`. */
  action: "created" | "edited" | "archived" | "unarchived" | "transferred" | "deleted" | "members_imported" | "team_invited" | "team_invitation_revoked" | "team_invitation_declined" | "team_joined" | "team_role_changed" | "team_removed" | "api_key_created" | "api_key_revoked" | "joined" | "imported" | "status_changed" | "tier_changed" | "cancel_scheduled" | "uncanceled" | "interval_changed" | "change_scheduled" | "change_canceled" | "canceled" | "refunded" | "refund_changed" | "blocked" | "unblocked" | "erased";
  /** The record that was changed: the community itself, a member, or one of its other records. */
  record: {
    /** Type of the record. */
    type: RecordType;
    /** Identifier of the record. */
    id: number;
    /** Current name of the community, tier, benefit, API key or member, or of the person in the team. `null` for event destinations, invitations, records that were deleted, keys that were revoked or have expired, and erased people. */
    name: string | null;
  };
  /** Who performed the action. */
  actor: {
    /** Type of actor: `user`; `api_key`; `stripe` for changes in Stripe, including those at the end of a period; `system` for Odis itself. */
    type: ActorType;
    /** Identifier of the user or API key. `null` for other actors. */
    id: number | null;
    /** Current name of the user: first and last name, or the username of a person who has neither. The name of an API key that is not revoked and has not expired. `null` for other actors and erased people. */
    name: string | null;
  };
  /** The `x-request-id` of the request that made the change. `null` if no request made it. */
  request_id: string | null;
  /** Former values of the fields that changed. `null` if the record was created. */
  before: Record<string, unknown> | null;
  /** New values of the fields that changed. `null` if the record was deleted. For an import, the number of `records` in the request. */
  after: Record<string, unknown> | null;
};

export type TierPage = NumberedPage<Tier>;

export type Tier = {
  /** Unique identifier of the tier. */
  id: number;
  /** Name of the tier. */
  name: string;
  /** Badge of the tier's members in discovery. If `null`, the name is shown. */
  badge: string | null;
  /** Position among the tiers, lowest first. By default, a new tier goes last. */
  position: number;
  /** Monthly price in US dollars and whole cents: 0, or at least 0.50. A change applies to new members only. */
  monthly_price_dollars: number;
  /** Yearly price in US dollars and whole cents, at least 0.50. `null` if the tier is only sold by the month. A free tier has none. A change applies to new members only. */
  yearly_price_dollars: number | null;
  /** Length of the free trial in days. Has no effect while the monthly price is 0. */
  trial_days: number;
  /** Whether checkout asks for a shipping address. */
  requires_shipping_address: boolean;
  /** Identifier of the current price in Stripe. `null` without a token. */
  stripe_price_id: string | null;
  /** Identifier of the current yearly price in Stripe. `null` if there is none, and without a token. */
  yearly_stripe_price_id: string | null;
  /** An archived tier takes no new members. */
  status: RecordStatus;
  /** Active benefits of the tier, by position. They change the ETag, but `If-Match` ignores them. */
  benefits: {
    /** Unique identifier of the benefit. */
    id: number;
    /** Name of the benefit. */
    name: string;
    /** Position among the benefits, lowest first. */
    position: number;
    /** What members get. Only in the response to `GET /odis/v1/tiers/{id}`. */
    description?: string;
  }[];
  /** Sequence of the last event that this record includes. Events of the tier with a higher `sequence` are newer. The ETag does not cover it. */
  sequence: number;
  /** Time at which the record was created. */
  created_at: string;
  /** Time of the last change. */
  updated_at: string;
};

export type PortalSession = {
  /** URL of Stripe's page to send the person to. */
  url: string;
};

export type CheckoutSession = {
  /** Identifier of the Checkout Session in Stripe. */
  id: string;
  /** URL of Stripe's page to send the person to. */
  url: string;
  /** Time at which the page stops working. */
  expires_at: string;
};

export type BrandPage = NumberedPage<Brand>;

export type Brand = {
  /** Unique identifier of the brand. */
  id: string;
  /** Name of the brand. */
  name: string;
  /** Identifiers of the producers that the brand is linked to: 1 to 40, sorted. */
  producer_ids: string[];
  /** Time at which the record was created. */
  created_at: string;
  /** Time of the last change. */
  updated_at: string;
};

export type BrandActivityPage = CursorPage<BrandActivity>;

export type BrandActivity = {
  /** Unique identifier of the entry. */
  id: number;
  /** Time of the action. */
  at: string;
  /** Type of the action. */
  action: "created" | "edited" | "deleted";
  /** Who performed the action. */
  actor: {
    /** Type of actor: `user`; `api_key`; `stripe` for changes in Stripe, including those at the end of a period; `system` for Odis itself. */
    type: ActorType;
    /** Identifier of the user or API key. `null` for other actors. */
    id: number | null;
    /** Current name of the user: first and last name, or the username of a person who has neither. The name of an API key that is not revoked and has not expired. `null` for other actors and erased people. */
    name: string | null;
  };
  /** The `x-request-id` of the request that made the change. `null` if no request made it. */
  request_id: string | null;
  /** Former values of the fields that changed. `null` if the brand was created. */
  before: Record<string, unknown> | null;
  /** New values of the fields that changed. `null` if the brand was deleted. */
  after: Record<string, unknown> | null;
};

export type BenefitPage = NumberedPage<Benefit>;

export type DestinationPage = NumberedPage<Destination>;

export type Destination = {
  /** Unique identifier of the destination. */
  id: number;
  /** URL that events are sent to: https on port 443 or 8443 of a public host, without credentials or a fragment. */
  url: string;
  /** Types of events to send: a type, all types of a kind (`member.*`), or everything (`*`). */
  events: string[];
  /** What the destination is for. May be empty. */
  description: string;
  /** Whether events are sent. While a destination is disabled, events are not stored for it. */
  status: DestinationStatus;
  /** Why it was disabled: `gone` (it returned 410), `failing` (attempts have failed for five days), `owner_changed` (the community has a new owner) or `restored` (the data was restored from a backup). `null` if it is enabled, or if a request disabled it. */
  disabled_reason: DisabledReason | null;
  /** The last four characters of the secret. */
  secret_hint: string;
  /** Time of the last successful attempt. `null` if there was none. */
  last_success_at: string | null;
  /** Time of the first failed attempt since the last successful one. `null` if none has failed since. */
  failing_since: string | null;
  /** Time at which the record was created. */
  created_at: string;
  /** Time of the last change. */
  updated_at: string;
};

export type DestinationWithSecret = {
  /** Unique identifier of the destination. */
  id: number;
  /** URL that events are sent to: https on port 443 or 8443 of a public host, without credentials or a fragment. */
  url: string;
  /** Types of events to send: a type, all types of a kind (`member.*`), or everything (`*`). */
  events: string[];
  /** What the destination is for. May be empty. */
  description: string;
  /** Whether events are sent. */
  status: DestinationStatus;
  /** `null`: the destination is enabled. */
  disabled_reason: DisabledReason | null;
  /** The last four characters of the secret. */
  secret_hint: string;
  /** Time of the last successful attempt. `null` if there was none. */
  last_success_at: string | null;
  /** Time of the first failed attempt since the last successful one. `null` if none has failed since. */
  failing_since: string | null;
  /** Time at which the record was created. */
  created_at: string;
  /** Time of the last change. */
  updated_at: string;
  /** Secret that deliveries are signed with. It is shown only in this response and in replays of it. */
  secret: string;
};

export type DeliveryPage = CursorPage<Delivery>;

export type Delivery = {
  /** Unique identifier of the delivery. */
  id: number;
  /** Identifier of the event, sent as `webhook-id` with every attempt. */
  event_id: string;
  /** Type of the event. */
  event_type: string;
  /** `pending` while another attempt is due, `delivered` after a successful attempt, `failed` if there will be no more attempts. */
  status: DeliveryStatus;
  /** The last 20 attempts, oldest first. */
  attempts: Attempt[];
  /** Number of attempts so far. */
  attempts_made: number;
};

export type Attempt = {
  /** Time of the attempt. */
  at: string;
  /** HTTP status code of the response. `null` if there was none. */
  status_code: number | null;
  /** Duration of the attempt in milliseconds. */
  duration_ms: number;
  /** Why the attempt failed: `timeout` (no response within 15 seconds, or 5 for a ping), `connection` (no connection), `tls` (invalid certificate), `redirect`, `address_refused` (an address that is not public) or `status` (a status code other than 2xx). `null` if it succeeded. */
  error: AttemptError | null;
};

export type Outcome = {
  /** HTTP status code of the response. `null` if there was none. */
  status_code: number | null;
  /** Duration of the attempt in milliseconds. */
  duration_ms: number;
  /** Why the attempt failed: `timeout` (no response within 15 seconds, or 5 for a ping), `connection` (no connection), `tls` (invalid certificate), `redirect`, `address_refused` (an address that is not public) or `status` (a status code other than 2xx). `null` if it succeeded. */
  error: AttemptError | null;
};

export type Resend = {
  /** Time of the request. A delivery is resent when it has an attempt after this time. */
  requested_at: string;
  /** Deliveries that are resent. `null` for a time span. */
  delivery_ids: number[] | null;
  /** Start of the time span. `null` for a list of deliveries. */
  since: string | null;
  /** End of the time span, not included. `null` for a list of deliveries. */
  until: string | null;
  /** Status of the deliveries of the time span that are resent. `null` for all. */
  status: DeliveryStatus | null;
};

export type InvitationPage = NumberedPage<Invitation>;

export type Invitation = {
  /** Unique identifier of the invitation. */
  id: number;
  /** The invited email address. */
  email: string;
  /** The role that the person gets. */
  role: TeamRole;
  /** Identifier of the user who made the invitation. */
  invited_by: number;
  /** Time of the invitation. */
  created_at: string;
  /** Time from which the invitation can no longer be accepted. */
  expires_at: string;
};

export type TeamPage = NumberedPage<TeamMember>;

export type TeamMember = {
  /** Profile of the person. */
  user: Person;
  /** What the person may do in the community. */
  role: TeamRole;
  /** Time at which the person joined the team. */
  created_at: string;
  /** Time of the last change. */
  updated_at: string;
};

export type ApiKeyPage = NumberedPage<ApiKey>;

export type ApiKey = {
  /** Unique identifier of the API key. Its text contains this number in base 62. */
  id: number;
  /** Name of the key, such as the program that uses it. */
  name: string;
  /** What requests with the key may do in the community. */
  role: TeamRole;
  /** The last four characters of the key. */
  hint: string;
  /** Identifier of the user who created the key. `null` if the person was erased. */
  created_by: number | null;
  /** Time of the creation. */
  created_at: string;
  /** Time of a recent request with the key, exact to the hour. `null` before the first one. */
  last_used_at: string | null;
  /** Time from which the key is refused, in whole seconds. Default, and at most: a year after its creation. */
  expires_at: string;
};

export type ApiKeyWithKey = {
  /** Unique identifier of the API key. Its text contains this number in base 62. */
  id: number;
  /** Name of the key, such as the program that uses it. */
  name: string;
  /** What requests with the key may do in the community. */
  role: TeamRole;
  /** The last four characters of the key. */
  hint: string;
  /** Identifier of the user who created the key. `null` if the person was erased. */
  created_by: number | null;
  /** Time of the creation. */
  created_at: string;
  /** Time of a recent request with the key, exact to the hour. `null` before the first one. */
  last_used_at: string | null;
  /** Time from which the key is refused, in whole seconds. Default, and at most: a year after its creation. */
  expires_at: string;
  /** The key. Only this response contains it. */
  key: string;
};

export type Health = {
  /** Always `ok`. */
  status: "ok";
  /** Version of the service: the release and, if it was deployed with `npm run deploy`, the commit after `+`. It ends in `.dirty` if files differed from the commit. */
  version: string;
  /** Stage of the deployment: `prod`, `sandbox`, `sandbox-<name>`, or `local` on the local stack. */
  stage: string;
};

export type MemberEventData = {
  /** State of the member after the change. */
  member: EventMember;
};

export type EventMember = {
  /** Unique identifier of the member. */
  id: number;
  /** Identifier of the user. */
  user_id: number;
  /** Status of the subscription in Stripe. Active, trialing and past-due members have access. */
  status: MemberStatus;
  /** End of the current billing period. */
  current_period_end: string;
  /** Whether the subscription ends with the current billing period. */
  cancel_at_period_end: boolean;
  /** Time at which the subscription will end. `null` if no end is scheduled. */
  cancel_at: string | null;
  /** Billing period of the subscription. `null` for other periods, without a subscription in Stripe, and until the first synchronization after an update of Odis. */
  interval: BillingInterval | null;
  /** What the next renewal charges, after discounts, before tax and credit, in US cents. `null` if there is no next renewal. */
  price_cents: number | null;
  /** The change that is scheduled for the end of the period. `null` if there is none. */
  scheduled_change: {
    /** The tier from then on. */
    tier: {
      /** Unique identifier of the tier. */
      id: number;
      /** Name of the tier. */
      name: string;
    };
    /** Billing period from then on. */
    interval: BillingInterval | null;
    /** What each renewal then charges, after discounts, before tax and credit, in US cents. */
    price_cents: number;
    /** Time of the change. */
    at: string;
  } | null;
  /** Time at which the cancellation was requested. `null` if the subscription was not canceled. */
  canceled_at: string | null;
  /** Time at which the subscription ended. `null` if it has not ended. */
  ended_at: string | null;
  /** Whether the member is blocked. A block ends access but keeps the subscription. */
  is_blocked: boolean;
  /** Total amount refunded, in US cents. */
  total_refunded_cents: number;
  /** Total amount paid minus refunds, in US cents. */
  lifetime_spend_cents: number;
  /** Whether the member's tier required a shipping address at the last synchronization. `tier.updated` reports a later change. */
  requires_shipping_address: boolean;
  /** Identifier of the member's tier. */
  tier_id: number;
  /** Whether a shipping address is stored. */
  has_shipping_address: boolean;
  /** Time at which access was first granted. The time of joining, for imported members. `null` before. */
  joined_at: string | null;
  /** Whether the member may enter, and why. The community's owner may always enter, which this field does not show. */
  access: Access;
};

export type PaymentEventData = {
  /** State of the member after the change. */
  member: EventMember;
  /** The payment or the failed attempt. */
  payment: EventPayment;
};

export type EventPayment = {
  /** Identifier of the charge in Stripe. The identifier of the invoice if it was paid outside Stripe. */
  id: string;
  /** Identifier of the invoice in Stripe. */
  invoice_id: string;
  /** Amount paid for the invoice, or amount of the failed attempt, in US cents. */
  amount_cents: number;
  /** Three-letter currency code in lower case: always `usd`. */
  currency: string;
  /** Whether the invoice was paid or the attempt failed. */
  status: "succeeded" | "failed";
  /** Identifier of the tier that the invoice is for. `null` if its price belongs to no tier of the community. */
  tier_id: number | null;
  /** Start of the period that the invoice is for. `null` in events that an earlier version of Odis has noted. */
  period_start: string | null;
  /** End of the period that the invoice is for. `null` in events that an earlier version of Odis has noted. */
  period_end: string | null;
  /** Time of the payment or the attempt. */
  at: string;
};

export type RefundEventData = {
  /** State of the member after the change. */
  member: EventMember;
  /** The refund. */
  refund: EventRefund;
};

export type EventRefund = {
  /** Identifier of the refund in Stripe. */
  refund_id: string;
  /** Identifier of the refunded charge in Stripe. */
  charge_id: string;
  /** Refunded amount in US cents. */
  amount_cents: number;
  /** Reason for the refund. `unspecified` if a refund made in Stripe has none. */
  reason: RefundReason;
  /** Status of the refund in Stripe. All but `failed` and `canceled` count as refunded. */
  status: RefundStatus;
  /** Time at which the refund was requested. */
  issued_at: string;
  /** Identifier of the user who issued the refund. `null` for a refund made in Stripe or with an API key. */
  issued_by: number | null;
};

export type DisputeEventData = {
  /** State of the member after the change. */
  member: EventMember;
  /** The dispute. */
  dispute: EventDispute;
};

export type EventDispute = {
  /** Identifier of the dispute in Stripe. */
  id: string;
  /** Identifier of the disputed charge in Stripe. */
  charge_id: string;
  /** Disputed amount in US cents. */
  amount_cents: number;
  /** Status of the dispute in Stripe. */
  status: string;
};

export type CommunityEventData = {
  /** The community after the change. */
  community: EventCommunity;
};

export type EventCommunity = {
  /** Unique identifier of the community. */
  id: number;
  /** Identifier of the community in discovery. */
  uuid: string;
  /** Name of the community. */
  name: string;
  /** Unique name for use in URLs. Made from the name if not given. */
  slug: string;
  /** Identifier of the user who owns the community, and may always enter it. */
  owner_id: number | null;
  /** HTTPS URL of the community's picture. `null` if there is none. */
  avatar_url: string | null;
  /** An archived community is not listed and takes no new members. Only admins may change it. */
  status: RecordStatus;
  /** The trending mark that an admin has forced. `null` if the trend score decides. */
  trending_pin: TrendingPin | null;
  /** Time at which the record was created. */
  created_at: string;
};

export type TierEventData = {
  /** The tier after the change. The last state if it was deleted. */
  tier: EventTier;
};

export type EventTier = {
  /** Unique identifier of the tier. */
  id: number;
  /** Name of the tier. */
  name: string;
  /** Badge of the tier's members in discovery. If `null`, the name is shown. */
  badge: string | null;
  /** Position among the tiers, lowest first. By default, a new tier goes last. */
  position: number;
  /** Monthly price in US dollars and whole cents: 0, or at least 0.50. A change applies to new members only. */
  monthly_price_dollars: number;
  /** Yearly price in US dollars and whole cents, at least 0.50. `null` if the tier is only sold by the month. A free tier has none. A change applies to new members only. */
  yearly_price_dollars: number | null;
  /** Length of the free trial in days. Has no effect while the monthly price is 0. */
  trial_days: number;
  /** Whether checkout asks for a shipping address. */
  requires_shipping_address: boolean;
  /** Identifier of the current price in Stripe. `null` if there is none. */
  stripe_price_id: string | null;
  /** Identifier of the current yearly price in Stripe. `null` if there is none. */
  yearly_stripe_price_id: string | null;
  /** An archived tier takes no new members. */
  status: RecordStatus;
  /** Time at which the record was created. */
  created_at: string;
};

export type BenefitEventData = {
  /** The benefit after the change. The last state if it was deleted. */
  benefit: EventBenefit;
};

export type EventBenefit = {
  /** Unique identifier of the benefit. */
  id: number;
  /** Name of the benefit. */
  name: string;
  /** What members get. May be empty. */
  description: string;
  /** Position among the benefits, lowest first. By default, a new benefit goes last. */
  position: number;
  /** Whether the benefit is shown. An archived benefit is hidden from members. */
  status: RecordStatus;
  /** Identifiers of the tiers whose members get the benefit. */
  tier_ids: number[];
  /** Time at which the record was created. */
  created_at: string;
};

export type DestinationEventData = {
  /** The event destination after the change. */
  event_destination: EventDestination;
};

export type EventDestination = {
  /** Unique identifier of the destination. */
  id: number;
  /** What the destination is for. May be empty. */
  description: string;
  /** Whether events are sent. While a destination is disabled, events are not stored for it. */
  status: DestinationStatus;
  /** Why it was disabled: `gone` (it returned 410), `failing` (attempts have failed for five days), `owner_changed` (the community has a new owner) or `restored` (the data was restored from a backup). `null` if it is enabled, or if a request disabled it. */
  disabled_reason: DisabledReason | null;
  /** Time at which the record was created. */
  created_at: string;
};

export type PingEventData = {
  /** The event destination that is tested. */
  event_destination: {
    /** Unique identifier of the destination. */
    id: number;
  };
};

export type BrandEventData = {
  /** The brand after the change. The last state if it was deleted. */
  brand: EventBrand;
};

export type EventBrand = {
  /** Unique identifier of the brand. */
  id: string;
  /** Name of the brand. */
  name: string;
  /** Identifiers of the producers that the brand is linked to: 1 to 40, sorted. */
  producer_ids: string[];
  /** Time at which the record was created. */
  created_at: string;
};

export type MembersImport = {
  /** The records to import. Each record is imported or refused independently of the others. */
  members: (Record<string, unknown> | MemberImport)[];
};

export type MemberImport = {
  /** Identifier of the member in the other system. Generated from `created_at` if not given. */
  id?: number;
  /** The member's profile. It is matched by identifier or email address, and created if there is no match. */
  user: {
    /** Identifier of the user. Required only to keep the identifier of the other system, or to match a user by it. */
    id?: number;
    /** Email address. Whoever signs in with it takes over the profile. */
    email?: string;
    /** Username. Default: `""`. */
    username?: string;
    /** First name. Default: `""`. */
    first_name?: string;
    /** Last name. Default: `""`. */
    last_name?: string;
  };
  /** Identifier of the member's tier in this community. */
  tier_id: number;
  /** Status of the subscription. */
  status: MemberStatus;
  /** Time at which the member joined. Lists are sorted by it. */
  created_at: string;
  /** Start of the current billing period. */
  current_period_start: string;
  /** End of the current billing period. */
  current_period_end: string;
  /** Whether the subscription ends with the current billing period. Default: `false`. */
  cancel_at_period_end?: boolean;
  /** Time at which the subscription will end. `null` if no end is scheduled. Default: `null`. */
  cancel_at?: string | null;
  /** Start of the free trial. `null` if there was none. Default: `null`. */
  trial_start?: string | null;
  /** End of the free trial. `null` if there was none. Default: `null`. */
  trial_end?: string | null;
  /** Time at which the cancellation was requested. `null` if the subscription was not canceled. Default: `null`. */
  canceled_at?: string | null;
  /** Time at which the subscription ended. `null` if it has not ended. Default: `null`. */
  ended_at?: string | null;
  /** Address for shipments. `null` if none is known. Default: `null`. */
  shipping_address?: AddressInput | null;
  /** Whether the member is blocked. Default: `false`. */
  is_blocked?: boolean;
  /** Time at which the member was blocked. The time of the import if not given. Default: `null`. */
  blocked_at?: string | null;
  /** Identifier of the user who blocked the member. Default: `null`. */
  blocked_by?: number | null;
  /** Why the member was blocked. Default: `null`. */
  block_reason?: string | null;
  /** Total amount paid minus refunds, in US cents. Payments in Stripe are added to it. Not allowed with a `stripe_customer_id`. Default: `0`. */
  lifetime_spend_cents?: number;
  /** Total amount refunded, in US cents. Not allowed with a `stripe_customer_id`. Default: `0`. */
  total_refunded_cents?: number;
  /** The newest 100 refunds. Not allowed with a `stripe_customer_id`. Default: `[]`. */
  refunds?: RefundImport[];
  /** `notes` and your own keys, in the format of the PATCH request. Default: `{}`. */
  metadata?: Record<string, unknown>;
  /** Identifier of the customer in Stripe. The customer must exist and must not belong to another member. From the customer's next event on, the member is synchronized with Stripe. Default: `null`. */
  stripe_customer_id?: string | null;
  /** Identifier of the customer's subscription, with any price. If not given, the customer's only live subscription with a price of the community is used, if there is one. The record is refused if there are several. Default: `null`. */
  stripe_subscription_id?: string | null;
};

export type AddressInput = {
  /** Name of the recipient. May be empty. */
  name: string;
  /** Street and number. */
  line1: string;
  /** Apartment, floor or company. May be empty. */
  line2: string;
  /** City or town. */
  city: string;
  /** State, province or region. May be empty. */
  state: string;
  /** ZIP or postal code. May be empty. */
  postal_code: string;
  /** Two-letter country code (ISO 3166-1 alpha-2). */
  country: "AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "YE" | "YT" | "ZA" | "ZM" | "ZW";
  /** Phone number of the recipient, for the carrier. May be empty. Default: `""`. */
  phone?: string;
};

export type RefundImport = {
  /** Identifier of the refund in Stripe. */
  refund_id: string;
  /** Identifier of the refunded charge in Stripe. */
  charge_id: string;
  /** Refunded amount in US cents. */
  amount_cents: number;
  /** Reason for the refund. `unspecified` if a refund made in Stripe has none. */
  reason: RefundReason;
  /** Status of the refund in Stripe. All but `failed` and `canceled` count as refunded. */
  status: RefundStatus;
  /** Note given with the request. `null` if there is none. */
  note: string | null;
  /** Time at which the refund was requested. */
  issued_at: string;
  /** Identifier of the user who issued the refund. `null` for a refund made in Stripe or with an API key. */
  issued_by: number | null;
};

export type MemberUpdate = {
  /** The fields to change. Omitted fields are left unchanged. */
  member: {
    /** The whole address. `null` removes it. It is also written to the customer in Stripe. */
    shipping_address?: AddressInput | null;
    /** A JSON merge patch (RFC 7396) of `notes` (at most 5,000 characters) and your own keys; `null` removes a key. At most 50 keys of 40 characters each, 16 KiB and five levels of nesting in total. Numbers are limited to 2^53 - 1. The keys that Odis maintains are read-only. */
    metadata?: {
      /** Notes about the member. Visible to the owner, the team and API keys of the community, to admins, and in the export of the person's data. `null` clears them. */
      notes?: string | null;
      [name: string]: unknown;
    };
  };
};

export type BlockRequest = {
  /** Why the member is blocked. Visible to the owner, the team and API keys of the community, to admins, and in the export of the person's data. */
  reason?: string;
};

export type CancellationRequest = {
  /** When the subscription ends. Neither mode refunds anything. Default: `"at_period_end"`. */
  mode?: CancellationMode;
  /** Why the member leaves: one of Stripe's `cancellation_details.feedback` values. */
  feedback?: "customer_service" | "low_quality" | "missing_features" | "other" | "switched_service" | "too_complex" | "too_expensive" | "unused";
  /** Why the member leaves, in their own words. */
  comment?: string;
};

export type RefundRequest = {
  /** Amount to refund in US cents. Defaults to the remaining amount of the charge. */
  amount_cents?: number;
  /** Reason for the refund. `fraudulent` is recorded here but not passed to Stripe, which would block the card. Default: `"requested_by_customer"`. */
  reason?: RequestedRefundReason;
  /** Note for your own records. */
  note?: string;
};

export type ChargeRefundRequest = {
  /** Identifier of the charge to refund, as in the payment history. */
  charge_id: string;
  /** Amount to refund in US cents. Defaults to the remaining amount of the charge. */
  amount_cents?: number;
  /** Reason for the refund. `fraudulent` is recorded here but not passed to Stripe, which would block the card. Default: `"requested_by_customer"`. */
  reason?: RequestedRefundReason;
  /** Note for your own records. */
  note?: string;
};

export type Nothing = Record<string, never>;

export type ChangeRequest = {
  /** Identifier of the tier to change to. Default: the member's tier. */
  tier_id?: number;
  /** Billing period to change to. Default: the member's interval. */
  interval?: BillingInterval;
  /** Whether to only preview the change. Default: `false`. */
  dry_run?: boolean;
  /** The `preview_id` of a preview. The change is made only if it still is what was previewed. */
  preview_id?: string;
};

export type OwnChangeRequest = {
  /** Identifier of the tier to change to. Default: the member's tier. */
  tier_id?: number;
  /** Billing period to change to. Default: the member's interval. */
  interval?: BillingInterval;
  /** Whether to only preview the change. Default: `false`. */
  dry_run?: boolean;
  /** The `preview_id` of a preview. The change is made only if it still is what was previewed. */
  preview_id?: string;
  /** The page to which Stripe's page returns. Required for a change from a free tier to a paid one. */
  return_url?: string;
};

export type ErasureRequest = {
  /** If `true`, nothing is erased or canceled, and the response lists what would be, and what prevents it. */
  dry_run: boolean;
  /** If `true`, live subscriptions that Odis manages are canceled immediately, without a refund, before the person is erased. Nothing is canceled while anything else prevents the erasure. Default: `false`. */
  cancel_subscriptions?: boolean;
};

export type CommunityCreate = {
  /** The new community. */
  community: {
    /** Name of the community. */
    name: string;
    /** Unique name for use in URLs. Made from the name if not given. */
    slug?: string;
    /** Identifier of the user who owns the community. Only admins may change it. */
    owner_id: number;
    /** HTTPS URL of the community's picture. `null` if there is none. Default: `null`. */
    avatar_url?: string | null;
    /** Forces the trending mark `on` or `off`. If `null`, the trend score decides. Only admins may change it. Default: `null`. */
    trending_pin?: TrendingPin | null;
  };
};

export type CommunityUpdate = {
  /** The fields to change. Omitted fields are left unchanged. */
  community: {
    /** Name of the community. */
    name?: string;
    /** Unique name for use in URLs. Made from the name if not given. */
    slug?: string;
    /** HTTPS URL of the community's picture. `null` if there is none. */
    avatar_url?: string | null;
    /** Identifier of the user who owns the community. Only admins may change it. */
    owner_id?: number;
    /** An archived community is not listed and takes no new members. Only admins may change it. */
    status?: RecordStatus;
    /** Forces the trending mark `on` or `off`. If `null`, the trend score decides. Only admins may change it. */
    trending_pin?: TrendingPin | null;
  };
};

export type TierCreate = {
  /** The new tier. */
  tier: {
    /** Name of the tier. */
    name: string;
    /** Badge of the tier's members in discovery. If `null`, the name is shown. Default: `null`. */
    badge?: string | null;
    /** Position among the tiers, lowest first. By default, a new tier goes last. */
    position?: number;
    /** Monthly price in US dollars and whole cents: 0, or at least 0.50. A change applies to new members only. */
    monthly_price_dollars: number;
    /** Yearly price in US dollars and whole cents, at least 0.50. `null` if the tier is only sold by the month. A free tier has none. A change applies to new members only. Default: `null`. */
    yearly_price_dollars?: number | null;
    /** Length of the free trial in days. Has no effect while the monthly price is 0. Default: `0`. */
    trial_days?: number;
    /** Whether checkout asks for a shipping address. Default: `false`. */
    requires_shipping_address?: boolean;
  };
};

export type TierUpdate = {
  /** The fields to change. Omitted fields are left unchanged. */
  tier: {
    /** Name of the tier. */
    name?: string;
    /** Badge of the tier's members in discovery. If `null`, the name is shown. */
    badge?: string | null;
    /** Position among the tiers, lowest first. By default, a new tier goes last. */
    position?: number;
    /** Monthly price in US dollars and whole cents: 0, or at least 0.50. A change applies to new members only. */
    monthly_price_dollars?: number;
    /** Yearly price in US dollars and whole cents, at least 0.50. `null` if the tier is only sold by the month. A free tier has none. A change applies to new members only. */
    yearly_price_dollars?: number | null;
    /** Length of the free trial in days. Has no effect while the monthly price is 0. */
    trial_days?: number;
    /** Whether checkout asks for a shipping address. */
    requires_shipping_address?: boolean;
    /** An archived tier takes no new members. */
    status?: RecordStatus;
  };
};

export type PortalRequest = {
  /** URL to return to. Its origin must be configured. */
  return_url: string;
};

export type CheckoutRequest = {
  /** Identifier of the tier to subscribe to. */
  tier_id: number;
  /** Billing period: `year` only if the tier has a yearly price. Default: `"month"`. */
  interval?: BillingInterval;
  /** URL to return to after the payment. Its origin must be configured. */
  success_url: string;
  /** URL to return to without a payment. Its origin must be configured. */
  cancel_url: string;
};

export type BrandCreate = {
  /** The new brand. */
  brand: {
    /** Name of the brand. */
    name: string;
    /** Identifiers of producers to link the brand to, in addition to the one in the path. */
    producer_ids?: string[];
  };
};

export type BrandUpdate = {
  /** The fields to change. Omitted fields are left unchanged. */
  brand: {
    /** Name of the brand. */
    name?: string;
    /** Identifiers of all producers to link the brand to. Replaces the list. The producer in the path is unlinked if it is not in the list. */
    producer_ids?: string[];
  };
};

export type BenefitUpdate = {
  /** The fields to change. Omitted fields are left unchanged. */
  benefit: {
    /** Name of the benefit. */
    name?: string;
    /** What members get. May be empty. */
    description?: string;
    /** Position among the benefits, lowest first. By default, a new benefit goes last. */
    position?: number;
    /** Identifiers of the tiers whose members get the benefit. Replaces the list. */
    tier_ids?: number[];
  };
};

export type TierAssignment = {
  /** Identifiers of the tiers whose members get the benefit from now on. Empty to unassign it. */
  tier_ids: number[];
};

export type BenefitCreate = {
  /** The new benefit. */
  benefit: {
    /** Name of the benefit. */
    name: string;
    /** What members get. May be empty. Default: `""`. */
    description?: string;
    /** Position among the benefits, lowest first. By default, a new benefit goes last. */
    position?: number;
    /** Identifiers of the tiers whose members get the benefit. Default: `[]`. */
    tier_ids?: number[];
  };
};

export type DestinationCreate = {
  /** The new destination. */
  event_destination: {
    /** URL that events are sent to: https on port 443 or 8443 of a public host, without credentials or a fragment. */
    url: string;
    /** Types of events to send: a type, all types of a kind (`member.*`), or everything (`*`). */
    events: string[];
    /** What the destination is for. May be empty. Default: `""`. */
    description?: string;
  };
};

export type DestinationUpdate = {
  /** The fields to change. Omitted fields are left unchanged. */
  event_destination: {
    /** URL that events are sent to: https on port 443 or 8443 of a public host, without credentials or a fragment. */
    url?: string;
    /** Types of events to send: a type, all types of a kind (`member.*`), or everything (`*`). */
    events?: string[];
    /** What the destination is for. May be empty. */
    description?: string;
    /** Enables or disables the destination. Events that occur while it is disabled are not sent later. */
    status?: DestinationStatus;
  };
};

export type ResendRequest = {
  /** Deliveries to resend, at most 100. */
  delivery_ids?: number[];
  /** Start of the time span, compared with the `timestamp` of the events. At most 30 days ago. */
  since?: string;
  /** End of the time span, not included. By default, the time of the request. */
  until?: string;
  /** Only deliveries of the time span with this status. By default, all. */
  status?: DeliveryStatus;
};

export type SecretRotation = {
  /** For how many hours deliveries are signed with the old secret too. 0 if the old secret has leaked. Default: 24. Default: `24`. */
  overlap_hours?: number;
};

export type InvitationCreate = {
  /** The new invitation. */
  invitation: {
    /** The invited email address. */
    email: string;
    /** The role that the person gets. */
    role: TeamRole;
  };
};

export type TeamMemberUpdate = {
  /** The fields to change. Omitted fields are left unchanged. */
  team_member: {
    /** What the person may do in the community. */
    role?: TeamRole;
  };
};

export type ApiKeyCreate = {
  /** The new API key. */
  api_key: {
    /** Name of the key, such as the program that uses it. */
    name: string;
    /** What requests with the key may do in the community. Default: `"viewer"`. */
    role?: TeamRole;
    /** Time from which the key is refused, in whole seconds. Default, and at most: a year after its creation. */
    expires_at?: string;
  };
};

export type Problem = {
  /** URL of the page that explains the problem. */
  type: string;
  /** Short description of the type of problem. */
  title: string;
  /** HTTP status code. */
  status: number;
  /** Code of the type of problem, for programs to act on. Later versions can add codes. */
  code: "malformed_json" | "invalid_signature" | "missing_token" | "invalid_token" | "expired_token" | "insufficient_user_authentication" | "forbidden" | "not_found" | "route_not_found" | "method_not_allowed" | "subscription_already_canceled" | "not_scheduled_to_cancel" | "period_ended" | "no_subscription" | "nothing_to_change" | "cancel_scheduled" | "payment_overdue" | "subscription_not_managed" | "preview_expired" | "too_many_changes" | "nothing_to_refund" | "charge_already_refunded" | "charge_disputed" | "request_in_progress" | "already_a_member" | "member_blocked" | "community_archived" | "tier_in_use" | "already_in_team" | "slug_taken" | "cannot_block_owner" | "payment_processor_refused" | "erasure_blocked" | "destination_disabled" | "person_erased" | "stale_record" | "body_too_large" | "unsupported_media_type" | "validation_failed" | "invalid_cursor" | "limit_reached" | "idempotency_key_reused" | "unknown_tier" | "amount_exceeds_refundable" | "too_many_requests" | "internal" | "payment_processor_error" | "outcome_unknown" | "payment_processor_unavailable" | "unavailable" | "timeout" | (string & {});
  /** Description of this occurrence of the problem. */
  detail: string;
  /** Identifier of the request, the same as `x-request-id`. */
  request_id: string;
  /** Error for each invalid field or parameter. */
  errors?: {
    /** JSON Pointer (RFC 6901) to the invalid field of the body. */
    pointer?: string;
    /** Name of the invalid query parameter or header. */
    parameter?: string;
    /** Error code, for programs. */
    code: IssueCode;
    /** Error message, for people. */
    message: string;
  }[];
  /** With `amount_exceeds_refundable`: the amount that can still be refunded, in US cents. */
  refundable_cents?: number;
  /** With `payment_processor_refused`: Stripe's error code. `null` if Stripe gives none. */
  processor_code?: string | null;
  /** With `erasure_blocked`: what prevents the erasure. */
  blockers?: ({
    /** Type of blocker. */
    code: BlockerCode;
    /** Identifier of the community. */
    community_id: number;
    /** Identifier of the member. `null` for an owned community. */
    member_id: number | null;
  })[];
};

export type MemberStatus = "active" | "trialing" | "past_due" | "unpaid" | "canceled" | "incomplete";

export type RecordStatus = "active" | "archived";

export type AccessChange = "begun" | "ended";

export type MovementKind = "new" | "reactivated" | "expansion" | "contraction" | "churned";

export type SeriesMetric = "members" | "mrr" | "joined" | "left" | "gross" | "refunded" | "disputed";

export type SeriesInterval = "day" | "week" | "month";

export type TransactionType = "payment" | "refund" | "dispute";

export type RecordType = "community" | "tier" | "benefit" | "event_destination" | "team_member" | "invitation" | "api_key" | "member";

export type StatusFilter = "active" | "archived" | "all";

export type BillingInterval = "month" | "year";

export type AccessReason = "owner" | "active" | "trialing" | "past_due" | "canceling" | "blocked" | "ended" | "unpaid" | "incomplete" | "not_a_member";

export type RefundReason = "requested_by_customer" | "duplicate" | "fraudulent" | "unspecified";

export type RefundStatus = "pending" | "succeeded" | "failed" | "canceled" | "requires_action";

export type IssueCode = "required" | "unknown_property" | "wrong_type" | "invalid_format" | "too_short" | "too_long" | "too_small" | "too_large" | "too_few" | "too_many" | "not_one_of" | "not_allowed" | "read_only" | "duplicate" | "conflicts" | "too_deep" | "unknown_reference" | "in_the_future" | "foreign_origin" | "already_a_member" | "id_taken" | "other_member" | "other_user" | "other_customer" | "unknown_customer" | "ambiguous_subscription" | "cannot_block_owner" | "person_erased";

export type MemberAction = "joined" | "imported" | "status_changed" | "tier_changed" | "cancel_scheduled" | "uncanceled" | "interval_changed" | "change_scheduled" | "change_canceled" | "canceled" | "refunded" | "refund_changed" | "blocked" | "unblocked" | "edited" | "erased";

export type ActorType = "user" | "api_key" | "stripe" | "system";

export type ChangeStatus = "preview" | "changed" | "scheduled" | "payment_required";

export type ChangeTime = "now" | "at_period_end";

export type TeamRole = "manager" | "support" | "viewer";

export type DataActor = "self" | "owner" | "admin" | "api_key" | "stripe" | "system";

export type CancellationMode = "at_period_end" | "immediately";

export type BlockerCode = "live_subscription" | "foreign_subscription" | "open_operation" | "pending_payment" | "open_dispute" | "owns_community";

export type TrendingPin = "on" | "off";

export type DestinationStatus = "enabled" | "disabled";

export type DisabledReason = "gone" | "failing" | "owner_changed" | "restored";

export type DeliveryStatus = "pending" | "delivered" | "failed";

export type AttemptError = "timeout" | "connection" | "tls" | "redirect" | "address_refused" | "status";

export type RequestedRefundReason = "requested_by_customer" | "duplicate" | "fraudulent";

type Envelope<Type, Data> = {
  /** Type of the event. */
  type: Type;
  /** Unique identifier of the event, the same in every delivery. */
  id: string;
  /** Time of the change. */
  timestamp: string;
  /** Number that increases with each event of the same `subject`. There may be gaps. */
  sequence: number;
  /** Path of the record. Payments, refunds and disputes belong to their member. */
  subject: string;
  /** Identifier of the community. `null` for brands. */
  community_id: number | null;
  /** Former values of the fields of the record in `data` that changed. Empty for a new record. */
  previous: Record<string, unknown>;
  /** State after the change. */
  data: Data;
};

/** The events that webhooks deliver. */
export type Events = {
  /** The member gets access, or the reason or the scheduled end of their access changes. */
  "access.granted": Envelope<"access.granted", MemberEventData>;
  /** The member loses access. */
  "access.revoked": Envelope<"access.revoked", MemberEventData>;
  /** A subscription begins to give access, for the first time or after it had ended. */
  "member.joined": Envelope<"member.joined", MemberEventData>;
  /** An import created or replaced the member. */
  "member.imported": Envelope<"member.imported", MemberEventData>;
  /** A new billing period begins while the subscription gives access. */
  "member.renewed": Envelope<"member.renewed", MemberEventData>;
  /** The trial ends in three days, or a shorter trial begins. Sent once per trial. */
  "member.trial_ending": Envelope<"member.trial_ending", MemberEventData>;
  /** A payment failed and is being retried. The member keeps access. */
  "member.past_due": Envelope<"member.past_due", MemberEventData>;
  /** A payment failed and is no longer retried. Not sent for a pause that was requested in Stripe. */
  "member.unpaid": Envelope<"member.unpaid", MemberEventData>;
  /** The status returns from `past_due` or `unpaid` to `active`. Not sent after a pause that was requested in Stripe. */
  "member.recovered": Envelope<"member.recovered", MemberEventData>;
  /** The subscription ends. */
  "member.canceled": Envelope<"member.canceled", MemberEventData>;
  /** The member moves to another tier. */
  "member.tier_changed": Envelope<"member.tier_changed", MemberEventData>;
  /** The end of the subscription is scheduled, or its date changes. */
  "member.cancel_scheduled": Envelope<"member.cancel_scheduled", MemberEventData>;
  /** The scheduled end of the subscription is withdrawn. */
  "member.uncanceled": Envelope<"member.uncanceled", MemberEventData>;
  /** A change of tier or interval is scheduled, or replaces another one. */
  "member.change_scheduled": Envelope<"member.change_scheduled", MemberEventData>;
  /** A scheduled change is dropped without being made. */
  "member.change_canceled": Envelope<"member.change_canceled", MemberEventData>;
  /** The member is blocked. */
  "member.blocked": Envelope<"member.blocked", MemberEventData>;
  /** The member is no longer blocked. */
  "member.unblocked": Envelope<"member.unblocked", MemberEventData>;
  /** The person is erased, after their access was revoked. The record remains without a name. */
  "member.erased": Envelope<"member.erased", MemberEventData>;
  /** The shipping address or the interval changes, or another field of `data.member` for which no other event is sent. */
  "member.updated": Envelope<"member.updated", MemberEventData> & {
    /** Names of the fields that changed: those in `previous`, and `shipping_address`, whose values no event contains. */
    changed: string[];
  };
  /** An invoice is paid. Not sent for invoices of 0. */
  "payment.succeeded": Envelope<"payment.succeeded", PaymentEventData>;
  /** An attempt to pay an invoice fails. */
  "payment.failed": Envelope<"payment.failed", PaymentEventData>;
  /** A refund is created, through Odis or in Stripe. */
  "refund.created": Envelope<"refund.created", RefundEventData>;
  /** A refund fails or is canceled, and no longer counts. */
  "refund.failed": Envelope<"refund.failed", RefundEventData>;
  /** The status of a refund changes in another way. */
  "refund.updated": Envelope<"refund.updated", RefundEventData>;
  /** The customer disputes a charge. */
  "dispute.opened": Envelope<"dispute.opened", DisputeEventData>;
  /** A dispute ends, or an appeal changes how it ended. `status` is `won`, `lost`, `warning_closed` or `prevented`. */
  "dispute.closed": Envelope<"dispute.closed", DisputeEventData>;
  /** The status of a dispute changes in another way, such as by an appeal. */
  "dispute.updated": Envelope<"dispute.updated", DisputeEventData>;
  /** A community is created. */
  "community.created": Envelope<"community.created", CommunityEventData>;
  /** A community is edited or transferred. */
  "community.updated": Envelope<"community.updated", CommunityEventData>;
  /** A community is archived. */
  "community.archived": Envelope<"community.archived", CommunityEventData>;
  /** An archived community is activated. */
  "community.activated": Envelope<"community.activated", CommunityEventData>;
  /** A tier is created. */
  "tier.created": Envelope<"tier.created", TierEventData>;
  /** A tier is edited. */
  "tier.updated": Envelope<"tier.updated", TierEventData>;
  /** A tier is archived. */
  "tier.archived": Envelope<"tier.archived", TierEventData>;
  /** An archived tier is activated. */
  "tier.activated": Envelope<"tier.activated", TierEventData>;
  /** A tier is deleted. */
  "tier.deleted": Envelope<"tier.deleted", TierEventData>;
  /** A benefit is created. */
  "benefit.created": Envelope<"benefit.created", BenefitEventData>;
  /** A benefit is edited. */
  "benefit.updated": Envelope<"benefit.updated", BenefitEventData>;
  /** A benefit is archived. */
  "benefit.archived": Envelope<"benefit.archived", BenefitEventData>;
  /** An archived benefit is activated. */
  "benefit.activated": Envelope<"benefit.activated", BenefitEventData>;
  /** A benefit is deleted. */
  "benefit.deleted": Envelope<"benefit.deleted", BenefitEventData>;
  /** An event destination is disabled: by a request, because deliveries fail, because the community has a new owner, or because the data was restored from a backup. */
  "event_destination.disabled": Envelope<"event_destination.disabled", DestinationEventData>;
  /** Somebody tests the event destination. Sent only to it, whatever its `events`, and not listed among the events. */
  ping: Envelope<"ping", PingEventData>;
  /** A brand is created. */
  "brand.created": Envelope<"brand.created", BrandEventData>;
  /** A brand is renamed or linked to other producers. */
  "brand.updated": Envelope<"brand.updated", BrandEventData>;
  /** A brand is deleted. */
  "brand.deleted": Envelope<"brand.deleted", BrandEventData>;
};

type CommunitiesPath = {
  /** The id of the community. */
  community_id: number;
};

type MembersPath = {
  /** The id of the community. */
  community_id: number;
  /** The id of the member. */
  id: number;
};

type UsersPath = {
  /** The id of the user. */
  id: number;
};

type TiersPath = {
  /** The id of the tier. */
  id: number;
};

type ProducersPath = {
  /** The id of the producer. */
  producer_id: string;
};

type BrandsPath = {
  /** The id of the producer. */
  producer_id: string;
  /** The id of the brand. */
  id: string;
};

type BenefitsPath = {
  /** The id of the benefit. */
  id: number;
};

type EventDestinationsPath = {
  /** The id of the event destination. */
  id: number;
};

type TeamPath = {
  /** The id of the community. */
  community_id: number;
  /** The id of the team. */
  user_id: number;
};

type InvitationsPath = {
  /** The id of the invitation. */
  id: number;
};

type QueryParameters = {
  /** Number of the page, starting at 1. */
  page?: number;
  /** Maximum number of records on a page. Values above 100 count as 100. */
  per?: number;
  /** The `next_cursor` of the previous page, for the same filters. Omit it for the first page. */
  cursor?: string;
};

type HeaderParameters = {
  /** Makes the request safe to retry: within 24 hours, requests with the same key, caller, route and body take effect once and get the same response. */
  "Idempotency-Key"?: string;
  /** Writes only if this is the record's current `ETag`. Otherwise, the response is 412. */
  "If-Match"?: string;
};

/** What each operation takes and returns. */
export type Operations = {
  /** Search communities, and show which ones the caller belongs to */
  "GET /api/v1/communities/explore": {
    params?: {
      query?: Pick<QueryParameters, "page" | "per"> & {
        /** Any part of the name. Case and accents are ignored. */
        query?: string;
        /** Which communities to list. `my_communities` requires a token. */
        filter?: "all" | "trending" | "my_communities";
      };
    };
    /** Sends no token, so that CloudFront can answer. What depends on the caller is then null or false. */
    anonymous?: boolean;
    result: ListingPage;
  };
  /** List the members of a community */
  "GET /odis/v1/communities/{community_id}/members": {
    params: {
      path: CommunitiesPath;
      query?: Pick<QueryParameters, "per" | "cursor"> & {
        /** Only members with this status. */
        status?: MemberStatus;
        /** Only members of this tier. */
        tier_id?: number;
        /** Only members who are blocked (`true`) or not blocked (`false`). */
        is_blocked?: boolean;
        /** Only members who have access (`true`) or have none (`false`), without the right of the owner. */
        access?: boolean;
        /** Only members whose tier requires (`true`) or does not require (`false`) a shipping address. */
        requires_shipping_address?: boolean;
        /** Only members with (`true`) or without (`false`) a shipping address. */
        has_shipping_address?: boolean;
        /** Only members who have access until the scheduled end of their subscription (`true`), or everybody else (`false`). */
        is_canceling?: boolean;
        /** Start of an email address, a username or a full name, with the first or the last name first, or the whole id of a member or user. Case and accents are ignored. */
        query?: string;
        /** Sort order by join time, newest first by default. Not allowed together with `query`. */
        sort?: "-created_at" | "created_at";
        /** Columns of the CSV. `record`, the default, returns those of the record. `labels` returns shipping labels in one file of up to 5,000 rows, requires `Accept: text/csv`, and is not allowed together with `per`. */
        columns?: "record" | "labels";
      };
    };
    result: MemberPage;
  };
  /** Import up to 25 members from another system; safe to repeat */
  "POST /odis/v1/communities/{community_id}/members/import": {
    params: { path: CommunitiesPath; header?: Pick<HeaderParameters, "Idempotency-Key"> };
    body: MembersImport;
    result: ImportedMembers;
  };
  /** Show a member */
  "GET /odis/v1/communities/{community_id}/members/{id}": { params: { path: MembersPath }; result: Member };
  /** Edit a member's address, notes and custom metadata */
  "PATCH /odis/v1/communities/{community_id}/members/{id}": {
    params: { path: MembersPath; header?: Pick<HeaderParameters, "If-Match"> };
    body: MemberUpdate;
    result: Member;
  };
  /** List the activity of a member, newest first */
  "GET /odis/v1/communities/{community_id}/members/{id}/activity": {
    params: { path: MembersPath; query?: Pick<QueryParameters, "per" | "cursor"> };
    result: ActivityPage;
  };
  /** Block a member; access ends, but the subscription continues */
  "POST /odis/v1/communities/{community_id}/members/{id}/block": {
    params: { path: MembersPath; header?: Pick<HeaderParameters, "Idempotency-Key" | "If-Match"> };
    body?: BlockRequest;
    result: Member;
  };
  /** Cancel a member's subscription, at period end or immediately */
  "POST /odis/v1/communities/{community_id}/members/{id}/cancel_subscription": {
    params: { path: MembersPath; header?: Pick<HeaderParameters, "Idempotency-Key" | "If-Match"> };
    body?: CancellationRequest;
    result: Member;
  };
  /** Refund the member's latest refundable charge */
  "POST /odis/v1/communities/{community_id}/members/{id}/issue_refund": {
    params: { path: MembersPath; header?: Pick<HeaderParameters, "Idempotency-Key" | "If-Match"> };
    body?: RefundRequest;
    result: RefundAnswer;
  };
  /** List a member's invoices with their charges */
  "GET /odis/v1/communities/{community_id}/members/{id}/payment_history": {
    params: { path: MembersPath; query?: Pick<QueryParameters, "per" | "cursor"> };
    result: PaymentHistoryPage;
  };
  /** Refund one charge of the member */
  "POST /odis/v1/communities/{community_id}/members/{id}/refund_charge": {
    params: { path: MembersPath; header?: Pick<HeaderParameters, "Idempotency-Key" | "If-Match"> };
    body: ChargeRefundRequest;
    result: RefundAnswer;
  };
  /** Show a member's subscription as it is in Stripe, and update the stored record if it differs */
  "GET /odis/v1/communities/{community_id}/members/{id}/subscription_details": {
    params: { path: MembersPath };
    result: SubscriptionDetails;
  };
  /** Unblock a member */
  "DELETE /odis/v1/communities/{community_id}/members/{id}/unblock": {
    params: { path: MembersPath; header?: Pick<HeaderParameters, "If-Match"> };
    result: Member;
  };
  /** Withdraw a scheduled cancellation */
  "POST /odis/v1/communities/{community_id}/members/{id}/uncancel_subscription": {
    params: { path: MembersPath; header?: Pick<HeaderParameters, "Idempotency-Key" | "If-Match"> };
    body?: Nothing;
    result: Member;
  };
  /** Show the caller's own membership and whether it grants access */
  "GET /odis/v1/communities/{community_id}/membership": { params: { path: CommunitiesPath }; result: Membership };
  /** Cancel the caller's own subscription, at period end or immediately */
  "POST /odis/v1/communities/{community_id}/membership/cancel_subscription": {
    params: { path: CommunitiesPath; header?: Pick<HeaderParameters, "Idempotency-Key"> };
    body?: CancellationRequest;
    result: Membership;
  };
  /** List the caller's own invoices with their charges */
  "GET /odis/v1/communities/{community_id}/membership/payment_history": {
    params: { path: CommunitiesPath; query?: Pick<QueryParameters, "per" | "cursor"> };
    result: PaymentHistoryPage;
  };
  /** Withdraw the scheduled cancellation of the caller's own subscription */
  "POST /odis/v1/communities/{community_id}/membership/uncancel_subscription": {
    params: { path: CommunitiesPath; header?: Pick<HeaderParameters, "Idempotency-Key"> };
    body?: Nothing;
    result: Membership;
  };
  /** Change a member's tier, interval or both */
  "POST /odis/v1/communities/{community_id}/members/{id}/change_subscription": {
    params: { path: MembersPath; header?: Pick<HeaderParameters, "Idempotency-Key" | "If-Match"> };
    body?: ChangeRequest;
    result: ChangeAnswer;
  };
  /** Drop a member's scheduled change */
  "DELETE /odis/v1/communities/{community_id}/members/{id}/scheduled_change": {
    params: { path: MembersPath; header?: Pick<HeaderParameters, "If-Match"> };
    result: Member;
  };
  /** Change the caller's own tier, interval or both */
  "POST /odis/v1/communities/{community_id}/membership/change_subscription": {
    params: { path: CommunitiesPath; header?: Pick<HeaderParameters, "Idempotency-Key"> };
    body?: OwnChangeRequest;
    result: OwnChangeAnswer;
  };
  /** Drop the scheduled change of the caller's own subscription */
  "DELETE /odis/v1/communities/{community_id}/membership/scheduled_change": {
    params: { path: CommunitiesPath };
    result: Membership;
  };
  /** Show the caller's profile, communities, memberships, teams and invitations */
  "GET /odis/v1/me": { result: Me };
  /** Export all data stored about the caller */
  "GET /odis/v1/me/data": { result: PersonalData };
  /** Erase the caller */
  "POST /odis/v1/me/erase": {
    params?: { header?: Pick<HeaderParameters, "Idempotency-Key"> };
    body: ErasureRequest;
    result: ErasureAnswer;
  };
  /** Find a person by their email address */
  "GET /odis/v1/users": {
    params: {
      query: Pick<QueryParameters, "page" | "per"> & {
        /** The whole email address. */
        email: string;
      };
    };
    result: PersonPage;
  };
  /** Export all data stored about a person */
  "GET /odis/v1/users/{id}/data": { params: { path: UsersPath }; result: PersonalData };
  /** Erase a person */
  "POST /odis/v1/users/{id}/erase": {
    params: { path: UsersPath; header?: Pick<HeaderParameters, "Idempotency-Key"> };
    body: ErasureRequest;
    result: ErasureAnswer;
  };
  /** Find a community by its slug, or list all communities, newest first */
  "GET /odis/v1/communities": {
    params?: {
      query?: Pick<QueryParameters, "per" | "cursor"> & {
        /** Only the community with this slug. Required unless the caller is an admin. */
        slug?: string;
        /** Only communities with this status. By default all, including archived ones. */
        status?: RecordStatus;
      };
    };
    /** Sends no token, so that CloudFront can answer. What depends on the caller is then null or false. */
    anonymous?: boolean;
    result: CommunityPage;
  };
  /** Create a community with its owner */
  "POST /odis/v1/communities": {
    params?: { header?: Pick<HeaderParameters, "Idempotency-Key"> };
    body: CommunityCreate;
    result: Community;
  };
  /** List the events of a community in the last 30 days, newest first, or those after an event, oldest first */
  "GET /odis/v1/communities/{community_id}/events": {
    params: {
      path: CommunitiesPath;
      query?: Pick<QueryParameters, "per" | "cursor"> & {
        /** Identifier of an event: only events that were stored after it, oldest first. */
        after?: string;
        /** Only events of this type. A page may have fewer events, or none, although `has_more` is true. */
        type?: "access.granted" | "access.revoked" | "member.joined" | "member.imported" | "member.renewed" | "member.trial_ending" | "member.past_due" | "member.unpaid" | "member.recovered" | "member.canceled" | "member.tier_changed" | "member.cancel_scheduled" | "member.uncanceled" | "member.change_scheduled" | "member.change_canceled" | "member.blocked" | "member.unblocked" | "member.erased" | "member.updated" | "payment.succeeded" | "payment.failed" | "refund.created" | "refund.failed" | "refund.updated" | "dispute.opened" | "dispute.closed" | "dispute.updated" | "community.created" | "community.updated" | "community.archived" | "community.activated" | "tier.created" | "tier.updated" | "tier.archived" | "tier.activated" | "tier.deleted" | "benefit.created" | "benefit.updated" | "benefit.archived" | "benefit.activated" | "benefit.deleted" | "event_destination.disabled";
      };
    };
    result: EventPage;
  };
  /** List who got or lost access to a community, and whose monthly amount changed, newest first */
  "GET /odis/v1/communities/{community_id}/movements": {
    params: {
      path: CommunitiesPath;
      query?: Pick<QueryParameters, "per" | "cursor"> & {
        /** Only movements with which access began or ended. A page may have fewer, or none, although `has_more` is true. */
        access?: AccessChange;
        /** Only changes of the monthly amount of this kind. A page may have fewer, or none, although `has_more` is true. */
        kind?: MovementKind;
        /** First day, in UTC. */
        from?: string;
        /** Last day, in UTC. */
        to?: string;
      };
    };
    result: MovementPage;
  };
  /** Show a community's figures: members, revenue, joins and departures */
  "GET /odis/v1/communities/{community_id}/stats": { params: { path: CommunitiesPath }; result: Stats };
  /** Show a figure of a community over time, by day, week or month */
  "GET /odis/v1/communities/{community_id}/stats/series": {
    params: {
      path: CommunitiesPath;
      query: {
        /** Metric. `members` and `mrr` (monthly recurring revenue) are values at the end of each period. `joined`, `left`, `gross` (amount paid), `refunded` and `disputed` (lost disputes, less losses reversed) are totals of each period. */
        metric: SeriesMetric;
        /** Length of a period. Weeks begin on Monday. */
        interval?: SeriesInterval;
        /** Any day of the first period, in UTC. By default, the series has 30 days, 12 weeks or 12 months. */
        from?: string;
        /** Any day of the last period, in UTC. Today by default. */
        to?: string;
      };
    };
    result: Series;
  };
  /** List the payments, refunds and disputes of a community, newest first */
  "GET /odis/v1/communities/{community_id}/transactions": {
    params: {
      path: CommunitiesPath;
      query?: Pick<QueryParameters, "per" | "cursor"> & {
        /** Only transactions of this type. */
        type?: TransactionType;
        /** Only transactions with this status. A page may have fewer, or none, although `has_more` is true. */
        status?: "succeeded" | "pending" | "failed" | "canceled" | "requires_action" | "needs_response" | "under_review" | "won" | "lost" | "warning_needs_response" | "warning_under_review" | "warning_closed" | "prevented" | "appeal_needs_response" | "appeal_under_review";
        /** First day, in UTC. */
        from?: string;
        /** Last day, in UTC. */
        to?: string;
      };
    };
    result: TransactionPage;
  };
  /** Show a community */
  "GET /odis/v1/communities/{id}": {
    params: {
      path: {
        /** The id of the community. */
        id: number;
      };
    };
    /** Sends no token, so that CloudFront can answer. What depends on the caller is then null or false. */
    anonymous?: boolean;
    result: Community;
  };
  /** Edit a community; only admins can change its owner, status and trending pin */
  "PATCH /odis/v1/communities/{id}": {
    params: {
      path: {
        /** The id of the community. */
        id: number;
      };
      header?: Pick<HeaderParameters, "If-Match">;
    };
    body: CommunityUpdate;
    result: Community;
  };
  /** List the activity of a community, its tiers, its benefits and its members, newest first */
  "GET /odis/v1/communities/{id}/activity": {
    params: {
      path: {
        /** The id of the community. */
        id: number;
      };
      query?: Pick<QueryParameters, "per" | "cursor"> & {
        /** Only entries of this user or API key. A page may have fewer entries, or none, although `has_more` is true. */
        actor_id?: number;
        /** Only entries about records of this type. A page may have fewer entries, or none, although `has_more` is true. */
        type?: RecordType;
        /** First day, in UTC. */
        from?: string;
        /** Last day, in UTC. */
        to?: string;
      };
    };
    result: CommunityActivityPage;
  };
  /** List the membership tiers of a community */
  "GET /odis/v1/communities/{community_id}/tiers": {
    params: {
      path: CommunitiesPath;
      query?: Pick<QueryParameters, "page" | "per"> & {
        /** Only tiers with this status. */
        status?: StatusFilter;
      };
    };
    /** Sends no token, so that CloudFront can answer. What depends on the caller is then null or false. */
    anonymous?: boolean;
    result: TierPage;
  };
  /** Create a membership tier, with its product and prices in Stripe */
  "POST /odis/v1/communities/{community_id}/tiers": {
    params: { path: CommunitiesPath; header?: Pick<HeaderParameters, "Idempotency-Key"> };
    body: TierCreate;
    result: Tier;
  };
  /** Show a membership tier */
  "GET /odis/v1/tiers/{id}": {
    params: { path: TiersPath };
    /** Sends no token, so that CloudFront can answer. What depends on the caller is then null or false. */
    anonymous?: boolean;
    result: Tier;
  };
  /** Edit a membership tier; a new price applies to new members only */
  "PATCH /odis/v1/tiers/{id}": {
    params: { path: TiersPath; header?: Pick<HeaderParameters, "If-Match"> };
    body: TierUpdate;
    result: Tier;
  };
  /** Delete a membership tier that was never used */
  "DELETE /odis/v1/tiers/{id}": {
    params: { path: TiersPath; header?: Pick<HeaderParameters, "If-Match"> };
    result: undefined;
  };
  /** Open Stripe's billing portal, where people manage their card and subscription */
  "POST /odis/v1/communities/{community_id}/billing_portal_sessions": {
    params: { path: CommunitiesPath; header?: Pick<HeaderParameters, "Idempotency-Key"> };
    body: PortalRequest;
    result: PortalSession;
  };
  /** Open Stripe's hosted checkout for a membership tier */
  "POST /odis/v1/communities/{community_id}/checkout_sessions": {
    params: { path: CommunitiesPath; header?: Pick<HeaderParameters, "Idempotency-Key"> };
    body: CheckoutRequest;
    result: CheckoutSession;
  };
  /** List the brands of a producer */
  "GET /odis/v1/producers/{producer_id}/brands": {
    params: {
      path: ProducersPath;
      query?: Pick<QueryParameters, "page" | "per"> & {
        /** Any part of the name. Case and accents are ignored. */
        query?: string;
      };
    };
    result: BrandPage;
  };
  /** Create a brand, linked to the producer and optionally to others */
  "POST /odis/v1/producers/{producer_id}/brands": {
    params: { path: ProducersPath; header?: Pick<HeaderParameters, "Idempotency-Key"> };
    body: BrandCreate;
    result: Brand;
  };
  /** Show a brand */
  "GET /odis/v1/producers/{producer_id}/brands/{id}": { params: { path: BrandsPath }; result: Brand };
  /** Rename a brand or replace the producers it is linked to */
  "PATCH /odis/v1/producers/{producer_id}/brands/{id}": {
    params: { path: BrandsPath; header?: Pick<HeaderParameters, "If-Match"> };
    body: BrandUpdate;
    result: Brand;
  };
  /** Delete a brand and all of its links */
  "DELETE /odis/v1/producers/{producer_id}/brands/{id}": {
    params: { path: BrandsPath; header?: Pick<HeaderParameters, "If-Match"> };
    result: undefined;
  };
  /** List the activity of a brand, newest first */
  "GET /odis/v1/producers/{producer_id}/brands/{id}/activity": {
    params: { path: BrandsPath; query?: Pick<QueryParameters, "per" | "cursor"> };
    result: BrandActivityPage;
  };
  /** Show a benefit */
  "GET /odis/v1/benefits/{id}": { params: { path: BenefitsPath }; result: Benefit };
  /** Edit a benefit */
  "PATCH /odis/v1/benefits/{id}": {
    params: { path: BenefitsPath; header?: Pick<HeaderParameters, "If-Match"> };
    body: BenefitUpdate;
    result: Benefit;
  };
  /** Delete a benefit */
  "DELETE /odis/v1/benefits/{id}": {
    params: { path: BenefitsPath; header?: Pick<HeaderParameters, "If-Match"> };
    result: undefined;
  };
  /** Activate an archived benefit, so that members see it again */
  "POST /odis/v1/benefits/{id}/activate": {
    params: { path: BenefitsPath; header?: Pick<HeaderParameters, "Idempotency-Key" | "If-Match"> };
    body?: Nothing;
    result: Benefit;
  };
  /** Archive a benefit, so that members no longer see it */
  "POST /odis/v1/benefits/{id}/archive": {
    params: { path: BenefitsPath; header?: Pick<HeaderParameters, "Idempotency-Key" | "If-Match"> };
    body?: Nothing;
    result: Benefit;
  };
  /** Set the tiers that a benefit is assigned to */
  "POST /odis/v1/benefits/{id}/assign_to_tiers": {
    params: { path: BenefitsPath; header?: Pick<HeaderParameters, "Idempotency-Key" | "If-Match"> };
    body: TierAssignment;
    result: Benefit;
  };
  /** List the benefits of a community */
  "GET /odis/v1/communities/{community_id}/benefits": {
    params: {
      path: CommunitiesPath;
      query?: Pick<QueryParameters, "page" | "per"> & {
        /** Only benefits with this status. */
        status?: StatusFilter;
        /** Only benefits of this tier. */
        tier_id?: number;
      };
    };
    result: BenefitPage;
  };
  /** Create a benefit, and optionally assign it to tiers */
  "POST /odis/v1/communities/{community_id}/benefits": {
    params: { path: CommunitiesPath; header?: Pick<HeaderParameters, "Idempotency-Key"> };
    body: BenefitCreate;
    result: Benefit;
  };
  /** List the event destinations of a community */
  "GET /odis/v1/communities/{community_id}/event_destinations": {
    params: { path: CommunitiesPath; query?: Pick<QueryParameters, "page" | "per"> };
    result: DestinationPage;
  };
  /** Create an event destination */
  "POST /odis/v1/communities/{community_id}/event_destinations": {
    params: { path: CommunitiesPath; header?: Pick<HeaderParameters, "Idempotency-Key"> };
    body: DestinationCreate;
    result: DestinationWithSecret;
  };
  /** Show an event destination */
  "GET /odis/v1/event_destinations/{id}": { params: { path: EventDestinationsPath }; result: Destination };
  /** Edit, enable or disable an event destination */
  "PATCH /odis/v1/event_destinations/{id}": {
    params: { path: EventDestinationsPath; header?: Pick<HeaderParameters, "If-Match"> };
    body: DestinationUpdate;
    result: Destination;
  };
  /** Delete an event destination */
  "DELETE /odis/v1/event_destinations/{id}": {
    params: { path: EventDestinationsPath; header?: Pick<HeaderParameters, "If-Match"> };
    result: undefined;
  };
  /** List the deliveries to an event destination, newest first */
  "GET /odis/v1/event_destinations/{id}/deliveries": {
    params: { path: EventDestinationsPath; query?: Pick<QueryParameters, "per" | "cursor"> };
    result: DeliveryPage;
  };
  /** Resend an event to its destination */
  "POST /odis/v1/event_destinations/{id}/deliveries/{delivery_id}/resend": {
    params: {
      path: {
        /** The id of the event destination. */
        id: number;
        /** The id of the delivery. */
        delivery_id: number;
      };
      header?: Pick<HeaderParameters, "Idempotency-Key" | "If-Match">;
    };
    body?: Nothing;
    result: Delivery;
  };
  /** Send a ping to an event destination */
  "POST /odis/v1/event_destinations/{id}/ping": {
    params: { path: EventDestinationsPath; header?: Pick<HeaderParameters, "Idempotency-Key" | "If-Match"> };
    body?: Nothing;
    result: Outcome;
  };
  /** Resend a list of events, or those of a time span, to a destination */
  "POST /odis/v1/event_destinations/{id}/resend": {
    params: { path: EventDestinationsPath; header?: Pick<HeaderParameters, "Idempotency-Key" | "If-Match"> };
    body?: ResendRequest;
    result: Resend;
  };
  /** Replace the secret of an event destination */
  "POST /odis/v1/event_destinations/{id}/rotate_secret": {
    params: { path: EventDestinationsPath; header?: Pick<HeaderParameters, "Idempotency-Key" | "If-Match"> };
    body?: SecretRotation;
    result: DestinationWithSecret;
  };
  /** List the open invitations to the team of a community */
  "GET /odis/v1/communities/{community_id}/invitations": {
    params: { path: CommunitiesPath; query?: Pick<QueryParameters, "page" | "per"> };
    result: InvitationPage;
  };
  /** Invite an email address to the team of a community */
  "POST /odis/v1/communities/{community_id}/invitations": {
    params: { path: CommunitiesPath; header?: Pick<HeaderParameters, "Idempotency-Key"> };
    body: InvitationCreate;
    result: Invitation;
  };
  /** List the people in the team of a community */
  "GET /odis/v1/communities/{community_id}/team": {
    params: { path: CommunitiesPath; query?: Pick<QueryParameters, "page" | "per"> };
    result: TeamPage;
  };
  /** Change the role of a person in the team */
  "PATCH /odis/v1/communities/{community_id}/team/{user_id}": {
    params: { path: TeamPath };
    body: TeamMemberUpdate;
    result: TeamMember;
  };
  /** Remove a person from the team */
  "DELETE /odis/v1/communities/{community_id}/team/{user_id}": { params: { path: TeamPath }; result: undefined };
  /** Revoke an invitation, or decline it */
  "DELETE /odis/v1/invitations/{id}": {
    params: { path: InvitationsPath; header?: Pick<HeaderParameters, "If-Match"> };
    result: undefined;
  };
  /** Accept an invitation and join the team */
  "POST /odis/v1/invitations/{id}/accept": {
    params: { path: InvitationsPath; header?: Pick<HeaderParameters, "Idempotency-Key" | "If-Match"> };
    body?: Nothing;
    result: TeamMember;
  };
  /** Revoke an API key */
  "DELETE /odis/v1/api_keys/{id}": {
    params: {
      path: {
        /** The id of the api key. */
        id: number;
      };
      header?: Pick<HeaderParameters, "If-Match">;
    };
    result: undefined;
  };
  /** List the valid API keys of a community */
  "GET /odis/v1/communities/{community_id}/api_keys": {
    params: { path: CommunitiesPath; query?: Pick<QueryParameters, "page" | "per"> };
    result: ApiKeyPage;
  };
  /** Create an API key */
  "POST /odis/v1/communities/{community_id}/api_keys": {
    params: { path: CommunitiesPath; header?: Pick<HeaderParameters, "Idempotency-Key"> };
    body: ApiKeyCreate;
    result: ApiKeyWithKey;
  };
  /** Check that the service is up, and get its version and stage */
  "GET /health": { result: Health };
};
