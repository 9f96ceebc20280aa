import { ButtonLink } from "../parts/button.tsx";
import { Page } from "../parts/page.tsx";
import { Notice } from "../parts/states.tsx";
import { linkTo } from "../router.ts";

export function NotFoundPage() {
  return (
    <Page title="Page not found" lead={<p>Check the address, or go to your communities.</p>}>
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
