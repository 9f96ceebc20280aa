import type { ComponentChildren } from "preact";
import { useClub } from "./context.ts";
import { Link, Notice, Title } from "./parts.tsx";

type Props = { readonly title: string; readonly children: ComponentChildren };

/** A view with a way back to the club. */
export function SubView({ title, children }: Props) {
  const { community, go } = useClub();
  return (
    <>
      <header>
        <Title text={title} />
        <Link onClick={() => go("home")}>Back to {community.name}</Link>
      </header>
      {children}
    </>
  );
}

/** For developers. */
export const LocalCode = () =>
  useClub().deployment.stage === "local" ? <Notice>The local stack sends no email: the code is 000000.</Notice> : null;
