import { useState } from "preact/hooks";
import { hueOf, initialsOf } from "../data/initials.ts";

type Props = {
  readonly of: { readonly id: number; readonly name: string; readonly avatar_url?: string | null | undefined };
  readonly isLarge?: boolean;
};

/** The picture of a community, or its initials on a color of its own if it has none or the picture cannot be loaded. */
export function Avatar({ of: { id, name, avatar_url }, isLarge = false }: Props) {
  const [failed, setFailed] = useState<string>();
  const url = avatar_url && avatar_url !== failed ? avatar_url : undefined;
  return (
    <span class={`avatar${isLarge ? " large" : ""}`} style={{ "--hue": hueOf(id) }} aria-hidden="true">
      {url === undefined ? (
        initialsOf(name)
      ) : (
        <img src={url} alt="" referrerpolicy="no-referrer" onError={() => setFailed(url)} />
      )}
    </span>
  );
}
