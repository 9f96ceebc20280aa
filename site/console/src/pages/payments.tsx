import type { Transaction } from "../data/odis.ts";
import { useRights } from "../data/rights.ts";
import { disputeText, isWithoutMoney, kinds, readOpenDisputes, transactionState } from "../data/transactions.ts";
import { useList } from "../data/use-list.ts";
import { useLoad } from "../data/use-load.ts";
import { languages, moneyOf, utcDateOf } from "../format.ts";
import { ButtonLink } from "../parts/button.tsx";
import { daysOf } from "../parts/day-fields.tsx";
import { MemberLink } from "../parts/member-link.tsx";
import { More } from "../parts/more.tsx";
import { Badge, Card, Page } from "../parts/page.tsx";
import { Empty, Failure, Loaded } from "../parts/states.tsx";
import { goTo, linkTo } from "../router.ts";
import { useOdis } from "../session.tsx";
import { Export } from "./members-export.tsx";
import { Choice } from "./members-filters.tsx";

type Props = { readonly communityId: number; readonly query: URLSearchParams };

/** The payments, refunds and disputes of a community. */
export function PaymentsPage({ communityId, query }: Props) {
  const may = useRights(communityId);
  const type = (Object.keys(kinds) as (keyof typeof kinds)[]).find((kind) => kind === query.get("type"));
  const given = daysOf(query).from;
  const lasts = lastMonths(13);
  const isOther = given !== undefined && !lasts.some(({ from }) => from === given);
  const months = isOther ? [since(given), ...lasts] : lasts;
  const month = months.find(({ from }) => from === given);
  const filters = { type, from: month?.from, to: month?.to };
  const change = (changed: { readonly type?: string | undefined; readonly from?: string | undefined }): void =>
    goTo(linkTo(["communities", communityId, "payments"], { type, from: month?.from, ...changed }), { replace: true });
  return (
    <Page
      title="Payments"
      lead={<p>What members paid, what was refunded and what they disputed, by day in UTC.</p>}
      actions={
        may("members_export") && (
          <Export
            communityId={communityId}
            filters={filters}
            label="Export CSV"
            list="transactions"
            thing="transaction"
            period={month?.from.slice(0, 7)}
          />
        )
      }
    >
      <OpenDisputes communityId={communityId} />
      <search class="filters">
        <Choice
          label="Show"
          value={type}
          choices={Object.entries(kinds)}
          onChange={(chosen) => change({ type: chosen })}
        />
        <Choice
          label="Month"
          value={month?.from}
          choices={months.map(({ from, text }) => [from, text])}
          onChange={(from) => change({ from })}
        />
      </search>
      <Transactions communityId={communityId} filters={filters} />
    </Page>
  );
}

type Month = { readonly from: string; readonly to?: string; readonly text: string };
/** All days from one on, which a number of the overview leads to. */
const since = (from: string): Month => ({ from, text: `Since ${utcDateOf(from)}` });
const monthNames = new Intl.DateTimeFormat(languages, { month: "long", year: "numeric", timeZone: "UTC" });
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The current month in UTC and those before it, newest first. */
function lastMonths(count: number): Month[] {
  const now = new Date();
  const startOf = (n: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - n, 1);
  return Array.from({ length: count }, (_, n) => ({
    from: dayOf(startOf(n)),
    to: dayOf(startOf(n - 1) - 1),
    text: monthNames.format(startOf(n)),
  }));
}

/** Disputes that wait for an answer, the most urgent one first. Nothing if there are none. */
function OpenDisputes({ communityId }: { readonly communityId: number }) {
  const odis = useOdis();
  const {
    data = [],
    error,
    isLoading,
    reload,
  } = useLoad((signal) => readOpenDisputes(odis, communityId, signal), [communityId]);
  if (error !== undefined && !isLoading)
    return <Failure what="the disputes to answer" error={error} onRetry={reload} />;
  if (data.length === 0) return null;
  return (
    <Card title="Disputes to answer">
      <p class="muted">
        Send your evidence to the bank in Stripe, by the day that is named. Without an answer, the cardholder keeps the
        money.
      </p>
      <ul class="rows">
        {data.map((dispute) => (
          <li key={dispute.id} class="row">
            <div class="row-main">
              <MemberLink communityId={communityId} member={dispute.member} />
              <span class="muted">{disputeText(dispute)}</span>
            </div>
            <ButtonLink href={dispute.stripe_url}>Answer in Stripe</ButtonLink>
          </li>
        ))}
      </ul>
    </Card>
  );
}

type ListProps = {
  readonly communityId: number;
  readonly filters: {
    readonly type: keyof typeof kinds | undefined;
    readonly from: string | undefined;
    readonly to: string | undefined;
  };
};

function Transactions({ communityId, filters: { type, from, to } }: ListProps) {
  const odis = useOdis();
  const list = useList(
    (cursor, signal) =>
      odis.get("/odis/v1/communities/{community_id}/transactions", {
        params: {
          path: { community_id: communityId },
          query: {
            per: 50,
            ...(type && { type }),
            ...(from && { from }),
            ...(to && { to }),
            ...(cursor && { cursor }),
          },
        },
        ...(signal && { signal }),
      }),
    [communityId, type, from, to],
  );
  return (
    <Loaded what="the payments" of={list} lines={6}>
      {({ data, next_cursor }) =>
        data.length === 0 && next_cursor === null ? (
          <Empty icon="payments" title={type || from ? "Nothing matches" : "There are no payments yet"}>
            <p>{type || from ? "Choose another month or kind." : "The first payment of a member appears here."}</p>
          </Empty>
        ) : (
          <>
            <Table communityId={communityId} transactions={data} />
            <More of={list} what="earlier payments" />
          </>
        )
      }
    </Loaded>
  );
}

type TableProps = { readonly communityId: number; readonly transactions: readonly Transaction[] };

function Table({ communityId, transactions }: TableProps) {
  return (
    <div class="table-frame">
      <table>
        <caption class="hidden">Payments, refunds and disputes</caption>
        <thead>
          <tr>
            <th scope="col">Member</th>
            <th scope="col" class="wide">
              What
            </th>
            <th scope="col" class="wide">
              Day
            </th>
            <th scope="col" class="number">
              Amount
            </th>
          </tr>
        </thead>
        <tbody>
          {transactions.map((transaction) => {
            const { text, tone } = transactionState(transaction);
            const { id, type, at, member, amount_cents, stripe_url, receipt_url } = transaction;
            return (
              <tr key={`${type} ${id}`}>
                <th scope="row">
                  <MemberLink communityId={communityId} member={member} />
                  <span class="muted narrow">
                    {text}, {utcDateOf(at)}
                  </span>
                </th>
                <td class="wide">
                  <Badge tone={tone}>{text}</Badge>
                </td>
                <td class="wide">{utcDateOf(at)}</td>
                <td class="number">
                  <a href={stripe_url} aria-label={`${text} of ${moneyOf(amount_cents)} in Stripe`}>
                    {isWithoutMoney(transaction) ? (
                      <s>{moneyOf(amount_cents)}</s>
                    ) : (
                      `${type === "payment" ? "" : "−"}${moneyOf(amount_cents)}`
                    )}
                  </a>
                  {type === "payment" && receipt_url !== null && (
                    <a class="muted" href={receipt_url} target="_blank" rel="noreferrer">
                      Receipt<span class="hidden"> for {moneyOf(amount_cents)}, opens in a new tab</span>
                    </a>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
