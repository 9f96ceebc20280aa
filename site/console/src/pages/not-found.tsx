import { useEffect } from "preact/hooks";
import { ButtonLink } from "../parts/button.tsx";
import { Page } from "../parts/page.tsx";
import { Notice } from "../parts/states.tsx";
import { linkTo } from "../router.ts";
import { useSession } from "../session.tsx";

export function NotFoundPage() {
  return (
    <Page title="Page not found" lead={<p>Check the address, or go to your communities.</p>}>
      <p>
        <ButtonLink href={linkTo(["communities"])}>Your communities</ButtonLink>
      </p>
    </Page>
  );
}

/** In place of the pages of a community in which the person has no right. They may have got it after the console was opened. */
export function NotYoursPage() {
  const { refresh } = useSession();
  useEffect(() => {
    void refresh().catch(() => undefined);
  }, []);
  return (
    <Page
      title="This is not your community"
      lead={<p>Only its owner and the people in its team can open it. Ask the owner to invite you.</p>}
    >
      <p>
        <ButtonLink href={linkTo(["communities"])}>Your communities</ButtonLink>
      </p>
    </Page>
  );
}

/** A page of a community that the role of the person does not include. */
export function NoRightPage({ title }: { readonly title: string }) {
  return (
    <Page title={title}>
      <Notice title="Your role does not include this page. Ask the owner of the community." />
    </Page>
  );
}
