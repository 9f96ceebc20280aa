import { linkTo } from "../router.ts";
import type { Member } from "./odis.ts";
import type { CursorPage } from "./use-list.ts";

/** A list of members as it was when the person opened one of them. */
type KeptList = {
  /** Address of the list in the console. */
  readonly link: string;
  readonly page: CursorPage<Member>;
  readonly scrollY: number;
  /** Address of the member who was opened. */
  readonly opened: string;
};

let kept: KeptList | undefined;

const listOf = (communityId: number): string => linkTo(["communities", communityId, "members"]);

/** Keeps a list if the person has left it for the page of one of its members. Forgets the one before. */
export function keepList(communityId: number, link: string, page: CursorPage<Member> | undefined): void {
  const isOpened = location.hash.startsWith(`${listOf(communityId)}/`);
  kept = isOpened && page ? { link, page, scrollY, opened: location.hash } : undefined;
}

/** The list that was kept for an address, once. */
export function takeList(link: string): KeptList | undefined {
  const list = kept?.link === link ? kept : undefined;
  kept = undefined;
  return list;
}

/** Forgets the list, which the next person who signs in may not see. */
export function forgetList(): void {
  kept = undefined;
}

/** Address of the list from which a member was opened. All members, if there is none. */
export const linkBack = (communityId: number): string => {
  const all = listOf(communityId);
  return kept && (kept.link === all || kept.link.startsWith(`${all}?`)) ? kept.link : all;
};
