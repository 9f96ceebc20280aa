const element = (id) => document.getElementById(id);
const [form, person, status, list, more] = ["ask", "person", "status", "communities", "more"].map(element);
const card = element("card");

const isLocal = ["127.0.0.1", "localhost"].includes(location.hostname);

/** Where a community is shown: in the example front end (`npm run example`) on this machine, in the console elsewhere. */
const addressOf = ({ slug, community_id }) =>
  isLocal ? `http://localhost:5173/c/${encodeURIComponent(slug)}` : consoleOf(community_id);
const consoleOf = (id) => `/console#/communities/${id}`;

/** Ids of the communities that the person owns. */
let owned = new Set();
let page = 1;
let asking = new AbortController();

/** Asks for a page and shows it; what was asked before and is not answered yet no longer matters. */
async function show(next) {
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  const asked = new FormData(form);
  const query = new URLSearchParams({ query: asked.get("query"), filter: asked.get("filter"), page: next });
  const headers = person.value ? { authorization: `Bearer ${person.value}` } : {};
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

function refused({ code, detail }) {
  status.textContent = code === "missing_token" ? "Sign in to see your communities." : detail;
  more.hidden = true;
}

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

/** The local stack knows people whom the page can act as; a deployed one has none to give away. */
async function offerPeople() {
  const people = await fetch("/explore/people.json").then((response) => response.json());
  person.append(...people.map(({ name, token }) => new Option(name, token)));
  person.closest(".local").hidden = false;
}

if (isLocal) await offerPeople();
await show(1);
