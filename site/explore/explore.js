const element = (id) => document.getElementById(id);
const [form, person, status, list, more] = ["ask", "person", "status", "communities", "more"].map(element);
const card = element("card");
const dialog = element("community");

const isLocal = ["127.0.0.1", "localhost"].includes(location.hostname);

/** Page of an app where people join a community, with `{slug}`, if the deployment has one that needs no tier. */
let joinUrl;

/** Where a community is shown: in a dialog on the local stack, elsewhere on the page where people join, or in the console. */
function addressOf({ slug, community_id }) {
  if (isLocal) return `#${slug}`;
  return joinUrl?.replaceAll("{slug}", slug) ?? consoleOf(community_id);
}
const consoleOf = (id) => `/console#/communities/${id}`;

/** Ids of the communities that the person owns. */
let owned = new Set();
let page = 1;
let asking = new AbortController();

const authorization = () => (person.value ? { authorization: `Bearer ${person.value}` } : {});

/** Asks for a page and shows it; what was asked before and is not answered yet no longer matters. */
async function show(next) {
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  const asked = new FormData(form);
  const query = new URLSearchParams({ query: asked.get("query"), filter: asked.get("filter"), page: next });
  const headers = authorization();
  list.ariaBusy = "true";
  try {
    const response = await fetch(`/api/v1/communities/explore?${query}`, { headers, signal });
    const answer = await response.json();
    if (next === 1) list.replaceChildren();
    if (response.ok) shown(answer);
    else refused(answer);
    list.ariaBusy = "false";
  } catch (error) {
    if (signal.aborted) return;
    refused({ detail: `The communities cannot be asked for: ${error.message}` });
    list.ariaBusy = "false";
  }
}

function shown({ total, has_more, data, page: shownPage }) {
  page = shownPage;
  list.append(...data.map(cardOf));
  status.textContent = total === 1 ? "1 community" : `${total.toLocaleString("en")} communities`;
  more.hidden = !has_more;
}

function refused(problem) {
  status.textContent = problem.code === "missing_token" ? "Sign in to see your communities." : reasonOf(problem);
  more.hidden = true;
}

/** Responses of the gateway have a `message` instead of a `detail`. */
const reasonOf = ({ detail, message }) => detail ?? message ?? "Try again later.";

/** A member may view the community and sees their badge; anybody else may explore it. */
function cardOf(listing) {
  const { name, community_id, member_count, avatar_url, is_member, tier_badge } = listing;
  const shownCard = card.content.cloneNode(true);
  const find = (selector) => shownCard.querySelector(selector);
  find("h2").textContent = name;
  find(".members").textContent = member_count === 1 ? "1 member" : `${member_count.toLocaleString("en")} members`;
  find(".avatar").replaceChildren(avatarOf(name, avatar_url));
  find(".badge").hidden = !is_member || tier_badge === null;
  find(".badge").textContent = is_member ? tier_badge : "";
  find("a").href = addressOf(listing);
  find("a").textContent = is_member ? "View" : "Explore";
  find("a").ariaLabel = `${is_member ? "View" : "Explore"} ${name}`;
  find(".manage").hidden = !owned.has(community_id);
  find(".manage").href = consoleOf(community_id);
  find(".manage").ariaLabel = `Manage ${name}`;
  return shownCard;
}

/** Somebody else looks at the page: their own communities have a link to the console. */
async function changePerson() {
  owned = new Set();
  if (person.value) {
    const response = await fetch("/odis/v1/me", { headers: { authorization: `Bearer ${person.value}` } });
    const { owned_communities: communities = [] } = await response.json();
    owned = new Set(communities.map(({ id }) => id));
  }
  await show(1);
}

/** The picture, or the name's first letter where there is none or it cannot be had. */
function avatarOf(name, url) {
  const [initial = ""] = name;
  if (url === null) return document.createTextNode(initial.toUpperCase());
  const image = new Image();
  image.alt = "";
  image.loading = "lazy";
  image.referrerPolicy = "no-referrer";
  image.addEventListener("error", () => image.replaceWith(initial.toUpperCase()));
  image.src = url;
  return image;
}

form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("input", () => void show(1));
person.addEventListener("input", () => void changePerson());
more.addEventListener("click", () => void show(page + 1));

/** Shows the tiers of the community in the fragment, and lets the person join. */
async function showCommunity() {
  const slug = location.hash.slice(1);
  if (!isLocal || slug === "") return dialog.close();
  let community;
  let tiers = [];
  let text;
  try {
    [community] = await listOf(`/odis/v1/communities?${new URLSearchParams({ slug })}`);
    if (community) tiers = await listOf(`/odis/v1/communities/${community.id}/tiers?per=100`);
    text = statusOf(community, tiers);
  } catch ({ message }) {
    text = message;
  }
  element("community-name").textContent = community?.name ?? slug;
  element("community-status").textContent = text;
  element("tiers").replaceChildren(...tiers.map((tier) => tierOf(tier, community)));
  const address = `http://localhost:5173/club.html?c=${encodeURIComponent(slug)}`;
  element("example").href = address;
  element("example").textContent = address;
  if (!dialog.open) dialog.showModal();
}

const jsonOf = (response) => response.json();

/** @throws Error with the reason of a refusal */
async function listOf(url) {
  const response = await fetch(url);
  const answer = await response.json();
  if (!response.ok) throw new Error(reasonOf(answer));
  return answer.data;
}

function statusOf(community, tiers) {
  if (!community) return "There is no such community.";
  if (tiers.length === 0) return "There are no tiers yet.";
  return person.value ? "" : "To join, choose a person under “Signed in as” first.";
}

const dollars = (amount, period) => `$${amount.toFixed(2)} a ${period}`;

function tierOf({ id, name, monthly_price_dollars: monthly, yearly_price_dollars: yearly, benefits }, community) {
  const shownTier = element("tier").content.cloneNode(true);
  const find = (selector) => shownTier.querySelector(selector);
  find("h3").textContent = name;
  const yearlyText = yearly === null ? "" : ` or ${dollars(yearly, "year")}`;
  find(".price").textContent = monthly === 0 ? "Free" : dollars(monthly, "month") + yearlyText;
  find(".benefits").append(...benefits.map((benefit) => itemOf(benefit.name)));
  const offer = (button, text, interval) => {
    button.textContent = text;
    button.hidden = !person.value;
    button.addEventListener("click", () => void join(community.id, id, interval));
  };
  offer(find(".join"), `Join ${name}`, "month");
  if (yearly === null) find(".join-yearly").remove();
  else offer(find(".join-yearly"), `Join ${name} for a year`, "year");
  return shownTier;
}

function itemOf(text) {
  const item = document.createElement("li");
  item.textContent = text;
  return item;
}

/** Opens the checkout of a tier, which returns to this page. */
async function join(communityId, tier_id, interval) {
  const here = `${location.origin}${location.pathname}`;
  const response = await fetch(`/odis/v1/communities/${communityId}/checkout_sessions`, {
    method: "POST",
    headers: { ...authorization(), "content-type": "application/json" },
    body: JSON.stringify({ tier_id, interval, success_url: here, cancel_url: here }),
  });
  const answer = await response.json();
  if (response.ok) location.assign(answer.url);
  else element("community-status").textContent = reasonOf(answer);
}

addEventListener("hashchange", () => void showCommunity());
element("close").addEventListener("click", () => dialog.close());
dialog.addEventListener("close", () => history.replaceState(null, "", location.pathname));

/** The local stack knows people whom the page can act as; a deployed one has none to give away. */
async function offerPeople() {
  const people = await fetch("/explore/people.json").then((response) => response.json());
  person.append(...people.map(({ name, token }) => new Option(name, token)));
  person.closest(".local").hidden = false;
}

/** Without its fragment, where `{tier_id}` usually is, the page of a tier is that of the community. */
async function findJoinUrl() {
  const { join_url = "" } = await fetch("/.well-known/odis.json")
    .then(jsonOf)
    .catch(() => ({}));
  const url = join_url.replace(/#.*\{tier_id\}.*/, "");
  if (url.includes("{slug}") && !url.includes("{tier_id}")) joinUrl = url;
}

await (isLocal ? offerPeople() : findJoinUrl());
await Promise.all([show(1), showCommunity()]);
