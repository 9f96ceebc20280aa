"""A first program with what openapi-python-client generates."""

import json
import sys

from odis_client import AuthenticatedClient
from odis_client.api.benefits import benefits_create
from odis_client.api.checkout import checkout_create_session
from odis_client.api.communities import communities_show, communities_stats
from odis_client.api.discovery import discovery_explore
from odis_client.api.members import members_list
from odis_client.api.membership import membership_show
from odis_client.api.tiers import tiers_list
from odis_client.models import BenefitCreate, BenefitCreateBenefit, CheckoutRequest, Problem

url, fan_token, owner_token = sys.argv[1:]
fan = AuthenticatedClient(base_url=url, token=fan_token)
owner = AuthenticatedClient(base_url=url, token=owner_token)


def good(result):
    if result is None or isinstance(result, Problem):
        raise SystemExit(f"refused: {result}")
    return result


community_id = good(discovery_explore.sync(client=fan, per=1)).data[0].community_id
community = good(communities_show.sync(community_id, client=fan))
tiers = good(tiers_list.sync(community_id, client=fan))
request = CheckoutRequest(tier_id=tiers.data[0].id, success_url=f"{url}/", cancel_url=f"{url}/")
session = good(checkout_create_session.sync(community_id, client=fan, body=request))
membership = good(membership_show.sync(community_id, client=fan))
members = good(members_list.sync(community_id, client=owner, per=5))
stats = good(communities_stats.sync(community_id, client=owner))
created = BenefitCreate(benefit=BenefitCreateBenefit(name="Made with Python"))
benefit = good(benefits_create.sync(community_id, client=owner, body=created))
refused = members_list.sync(community_id, client=fan)

print(
    json.dumps(
        {
            "community": community.id == community_id,
            "hosted": session.url.startswith("http"),
            "reason": membership.access.reason,
            "members": len([member.user.email for member in members.data]),
            "active": stats.by_status.active > 0,
            "benefit": benefit.name,
            "refused": refused.code if isinstance(refused, Problem) else None,
        }
    )
)
