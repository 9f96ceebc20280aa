import { linkTo } from "../router.ts";

type Props = {
  readonly communityId: number;
  /** The name is null if the person was erased. */
  readonly member: { readonly id: number; readonly name: string | null };
};

export function MemberLink({ communityId, member: { id, name } }: Props) {
  return <a href={linkTo(["communities", communityId, "members", id])}>{name ?? "Erased person"}</a>;
}
