import {
  createOdis,
  createSession,
  createSignIn,
  type Deployment,
  type Odis,
  type Session,
  type SignIn,
} from "./odis.ts";

/** A deployment, with the session of the person who is signed in there. */
export type Connection = {
  readonly deployment: Deployment;
  readonly odis: Odis;
  readonly accounts: SignIn;
  readonly session: Session;
};

const connections = new Map<string, Promise<Connection>>();

/** Connects to a deployment, once for all clubs of a page. */
export function connectionTo(url: string): Promise<Connection> {
  const connection = connections.get(url) ?? connect(url);
  connections.set(url, connection);
  // A failure is not kept, so that the next call tries again.
  connection.catch(() => connections.delete(url));
  return connection;
}

async function connect(url: string): Promise<Connection> {
  const deployment = await createOdis.discover(url);
  const accounts = createSignIn(deployment);
  // Whoever can run a script in the page can read the storage: serve the page with a Content-Security-Policy.
  const session = createSession({ signIn: accounts, storage: storage() });
  return { deployment, odis: createOdis({ ...deployment, token: session.token }), accounts, session };
}

/** Where a browser refuses storage, the session lasts as long as the page. */
function storage(): Pick<Storage, "getItem" | "setItem" | "removeItem"> {
  try {
    return localStorage;
  } catch {
    return { getItem: () => null, setItem: () => {}, removeItem: () => {} };
  }
}
