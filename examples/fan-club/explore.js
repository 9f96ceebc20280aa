const element = (id) => document.getElementById(id);
const { api } = document.querySelector("script[data-api]").dataset;
/** The newest search. An older response must not replace a newer one. */
let newest = 0;

/** Lists the first communities whose names contain the text, which needs no sign-in. */
async function show() {
  const number = ++newest;
  const query = element("query").value;
  const listed = await fetch(`${api}/api/v1/communities/explore?${new URLSearchParams({ query, per: 100 })}`)
    .then((response) => (response.ok ? response.json() : Promise.reject(response.status)))
    .catch(() => undefined);
  if (number !== newest) return;
  element("retry").hidden = listed !== undefined;
  element("communities").replaceChildren(...(listed?.data ?? []).map(cardOf));
  element("count").textContent = listed ? countOf(listed.total, query) : "We could not reach the server.";
}

function countOf(total, query) {
  if (total === 0) return query ? `Nothing called “${query}”` : "Nothing here yet";
  return total === 1 ? "1 community" : `${total} communities`;
}

function cardOf({ name, slug, member_count, avatar_url }) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  const picture = document.createElement(avatar_url ? "img" : "span");
  const members = document.createElement("small");
  link.href = `club.html?c=${encodeURIComponent(slug)}`;
  if (avatar_url) Object.assign(picture, { src: avatar_url, alt: "" });
  picture.classList.add("cover", `hue-${slug.length % 5}`);
  members.textContent = member_count === 1 ? "1 member" : `${member_count.toLocaleString("en-US")} members`;
  link.append(picture, name, members);
  item.append(link);
  return item;
}

element("query").addEventListener("input", () => void show());
element("retry").addEventListener("click", () => void show());
void show();
