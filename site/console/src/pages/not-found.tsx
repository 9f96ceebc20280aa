import { ButtonLink } from "../parts/button.tsx";
import { Page } from "../parts/page.tsx";
import { linkTo } from "../router.ts";

export function NotFoundPage() {
  return (
    <Page title="There is no such page" lead={<p>The address may be mistyped, or the page was moved.</p>}>
      <p>
        <ButtonLink href={linkTo(["communities"])}>Your communities</ButtonLink>
      </p>
    </Page>
  );
}
