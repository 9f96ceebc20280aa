import { render } from "preact";
import { LocationProvider, Route, Router } from "preact-iso";
import { Account } from "./pages/account.tsx";
import { Community } from "./pages/community.tsx";
import { Explore } from "./pages/explore.tsx";
import { Forgotten } from "./pages/forgotten.tsx";
import { Inside } from "./pages/inside.tsx";
import { NotFound } from "./pages/not-found.tsx";
import { SignInPage } from "./pages/sign-in.tsx";
import { SignUpPage } from "./pages/sign-up.tsx";
import { Frame } from "./parts/frame.tsx";
import { Failure } from "./parts/notice.tsx";
import { Page } from "./parts/page.tsx";
import { SessionProvider } from "./session.tsx";
import { loadDeployment } from "./settings.ts";
import { useRequest } from "./use-request.ts";

function App() {
  const { data: deployment, error, reload } = useRequest(loadDeployment, []);
  if (error)
    return (
      <main>
        <Page title="Fan Club cannot start" kind="narrow">
          <Failure title="It does not know its API" error={error} onRetry={reload} />
        </Page>
      </main>
    );
  if (!deployment) return null;
  return (
    <LocationProvider>
      <SessionProvider deployment={deployment}>
        <Frame>
          <Router onRouteChange={() => scrollTo(0, 0)}>
            <Route path="/" component={Explore} />
            <Route path="/c/:slug" component={Community} />
            <Route path="/c/:slug/inside" component={Inside} />
            <Route path="/me" component={Account} />
            <Route path="/sign-in" component={SignInPage} />
            <Route path="/sign-up" component={SignUpPage} />
            <Route path="/forgotten" component={Forgotten} />
            <Route default component={NotFound} />
          </Router>
        </Frame>
      </SessionProvider>
    </LocationProvider>
  );
}

const root = document.getElementById("app");
if (root) render(<App />, root);
