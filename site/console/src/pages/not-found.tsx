import { ButtonLink } from "../parts/button.tsx";
import { Page } from "../parts/page.tsx";
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
