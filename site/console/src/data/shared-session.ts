type Message = { readonly type: "wanted" } | { readonly type: "session" | "signed_out"; readonly refreshToken: string };

/** How long a new tab waits for the answer of an open one, in milliseconds. */
const patience = 300;

type Tab = {
  /** The refresh token of this tab. Null if nobody is signed in. */
  readonly refreshToken: () => string | null;
  /** Called when the person has signed out in another tab. */
  readonly onSignedOut: () => void;
};

/** Shares the session of this tab with the other tabs of the console. Nothing is stored for that. */
export function shareSession({ refreshToken, onSignedOut }: Tab) {
  const channel = new BroadcastChannel("odis.console.session");
  // A channel has no target origin: only pages of its own origin receive its messages.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  const post = (message: Message): void => channel.postMessage(message);
  const given = Promise.withResolvers<string | undefined>();
  channel.addEventListener("message", ({ data }: MessageEvent<Message>) => {
    const own = refreshToken();
    if (data.type === "wanted") {
      if (own !== null) post({ type: "session", refreshToken: own });
    } else if (data.type === "session") given.resolve(data.refreshToken);
    else if (data.refreshToken === own) onSignedOut();
  });
  return {
    /** The refresh token of another tab. Undefined if there is none in which somebody is signed in. */
    fromOtherTab: (): Promise<string | undefined> => {
      post({ type: "wanted" });
      setTimeout(given.resolve, patience);
      return given.promise;
    },
    /** Tells the other tabs that the session has ended. */
    signedOut: (token: string): void => post({ type: "signed_out", refreshToken: token }),
    close: (): void => channel.close(),
  };
}
