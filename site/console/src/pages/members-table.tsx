import { badgeOf } from "../data/member-words.ts";
import type { Member } from "../data/odis.ts";
import { moneyOf, nameOf, shortDateOf } from "../format.ts";
import { Badge } from "../parts/page.tsx";
import { linkTo } from "../router.ts";

type Props = { readonly communityId: number; readonly members: readonly Member[] };

export function MembersTable({ communityId, members }: Props) {
  return (
    <div class="table-frame">
      <table>
        <caption class="hidden">Members</caption>
        <thead>
          <tr>
            <th scope="col">Member</th>
            <th scope="col" class="wide">
              Status
            </th>
            <th scope="col" class="wide">
              Tier
            </th>
            <th scope="col" class="wide number">
              Paid
            </th>
            <th scope="col" class="wide">
              Joined
            </th>
          </tr>
        </thead>
        <tbody>
          {members.map((member) => {
            const { text, tone } = badgeOf(member);
            return (
              <tr key={member.id}>
                <th scope="row">
                  <span class="row-title">
                    <a class="row-link" href={linkTo(["communities", communityId, "members", member.id])}>
                      {nameOf(member.user)}
                    </a>
                    <Badge tone={tone} isNarrow>
                      {text}
                    </Badge>
                  </span>
                  <span class="muted">{member.user.email}</span>
                  <span class="muted narrow">{member.membership_tier.name}</span>
                </th>
                <td class="wide">
                  <Badge tone={tone}>{text}</Badge>
                </td>
                <td class="wide">{member.membership_tier.name || "Deleted tier"}</td>
                <td class="wide number">{moneyOf(member.lifetime_spend_cents + member.total_refunded_cents)}</td>
                <td class="wide">{shortDateOf(member.joined_at ?? member.created_at)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
