import { useLayoutEffect, useState } from "preact/hooks";

/** The parsed part of the URL after `#`: `#/communities/1/members?status=active`. */
export type Place = { readonly path: readonly string[]; readonly query: URLSearchParams };

const placeNow = (): Place => {
  const [path = "", query = ""] = location.hash.replace(/^#/, "").split("?");
  return {
    path: path
      .split("/")
      .filter((part) => part !== "")
      .map(decodedPart),
    query: new URLSearchParams(query),
  };
};

function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The place in the current URL. */
export function usePlace(): Place {
  const [place, setPlace] = useState(placeNow);
  // Layout effects run before the effects in which pages may redirect.
  useLayoutEffect(() => {
    const update = (): void => setPlace(placeNow());
    addEventListener("hashchange", update);
    return () => removeEventListener("hashchange", update);
  }, []);
  return place;
}

type Query = Readonly<Record<string, string | undefined>>;

/** Address of a place. Empty query parameters are left out. */
export function linkTo(path: readonly (string | number)[], query: Query = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const text = new URLSearchParams(given).toString();
  return `#/${path.map((part) => encodeURIComponent(part)).join("/")}${text && `?${text}`}`;
}

/** Goes to a place. `replace` leaves no entry in the history, for example while a person types. */
export function goTo(link: string, { replace = false } = {}): void {
  if (!replace) {
    location.hash = link;
    return;
  }
  history.replaceState(null, "", link);
  dispatchEvent(new HashChangeEvent("hashchange"));
}
