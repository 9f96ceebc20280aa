import { useEffect, useState } from "preact/hooks";
import { createOdis, type Deployment } from "./data/odis.ts";
import { SignInPage } from "./pages/sign-in.tsx";
import { Announcements } from "./parts/announce.tsx";
import { Failure, Skeleton } from "./parts/states.tsx";
import { SessionProvider, useSession } from "./session.tsx";
import { Signed } from "./signed.tsx";

export function App() {
  const [deployment, setDeployment] = useState<Deployment>();
  const [error, setError] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    setError(undefined);
    createOdis.discover(location.origin).then(setDeployment, setError);
  }, [attempt]);

  if (error !== undefined)
    return (
      <main class="alone">
        <h1>Odis console</h1>
        <Failure what="the console" error={error} onRetry={() => setAttempt(attempt + 1)} />
      </main>
    );
  if (!deployment) return null;
  return (
    <SessionProvider deployment={deployment}>
      <Whole />
      <Announcements />
    </SessionProvider>
  );
}

function Whole() {
  const { me } = useSession();
  if (me === undefined)
    return (
      <main class="alone">
        <h1 class="hidden">Odis console</h1>
        <Skeleton what="your account" />
      </main>
    );
  return me === null ? <SignInPage /> : <Signed me={me} />;
}
