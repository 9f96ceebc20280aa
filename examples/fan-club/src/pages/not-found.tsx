import { Page } from "../parts/page.tsx";

export const NotFound = () => (
  <Page title="There is nothing here" kind="narrow" lead="The address may be wrong, or the page has moved.">
    <a class="button" href="/">
      Explore communities
    </a>
  </Page>
);
