import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Me } from "./data/odis.ts";
import { type ConsoleRight, useRights } from "./data/rights.ts";
import { useCommunity } from "./data/use-community.ts";
import { nameOf } from "./format.ts";
import { Avatar } from "./parts/avatar.tsx";
import { Button } from "./parts/button.tsx";
import { Icon, type IconName } from "./parts/icon.tsx";
import { linkTo } from "./router.ts";
import { useGroup, useSession } from "./session.tsx";

type Props = {
  readonly me: Me;
  readonly path: readonly string[];
  readonly communityId: number | undefined;
  readonly children: ComponentChildren;
};

type Area = {
  readonly part?: string;
  readonly text: string;
  readonly icon: IconName;
  readonly right: ConsoleRight;
};

const areas: readonly Area[] = [
  { text: "Overview", icon: "overview", right: "figures_read" },
  { part: "members", text: "Members", icon: "members", right: "members_read" },
  { part: "payments", text: "Payments", icon: "payments", right: "activity_read" },
  { part: "tiers", text: "Tiers", icon: "tiers", right: "catalog_read" },
  { part: "benefits", text: "Benefits", icon: "benefits", right: "catalog_read" },
  { part: "activity", text: "Activity", icon: "activity", right: "activity_read" },
  { part: "team", text: "Team", icon: "team", right: "owner" },
  { part: "event-destinations", text: "Event destinations", icon: "destinations", right: "owner" },
  { part: "api-keys", text: "API keys", icon: "keys", right: "owner" },
  { part: "settings", text: "Settings", icon: "settings", right: "community_write" },
];

/** The name of a page of a community, and the right that it needs. */
export const areaOf = (part: string | undefined): Area | undefined => areas.find((area) => area.part === part);

/** The frame of every page: the community, the links to its pages, and the person. */
export function Frame({ me, path, communityId, children }: Props) {
  const { end } = useSession();
  const isEditor = useGroup("editor");
  const isAdmin = useGroup("admin");
  const may = useRights(communityId);
  const name = me.user ? nameOf(me.user) : "Your account";
  return (
    <div class="frame">
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById("main")?.focus();
        }}
      >
        Skip to content
      </a>
      <header class="side">
        <p class="brand">Odis</p>
        {communityId !== undefined && <Current key={communityId} me={me} communityId={communityId} />}
        <nav class="areas" aria-label="Pages">
          {communityId === undefined ? (
            <AreaLink
              href={linkTo(["communities"])}
              text="Communities"
              icon="communities"
              isCurrent={path[0] === "communities"}
            />
          ) : (
            areas
              .filter(({ right }) => may(right))
              .map(({ part, text, icon }) => (
                <AreaLink
                  key={text}
                  href={linkTo(["communities", communityId, ...(part === undefined ? [] : [part])])}
                  text={text}
                  icon={icon}
                  isCurrent={path[2] === part}
                />
              ))
          )}
          {(isEditor || isAdmin) && (
            <AreaLink href={linkTo(["brands"])} text="Brands" icon="brands" isCurrent={path[0] === "brands"} />
          )}
        </nav>
        <div class="person">
          <a href={linkTo(["account"])} aria-current={path[0] === "account" ? "page" : undefined}>
            {name}
          </a>
          <Button tone="quiet" onClick={() => void end()}>
            Sign out
          </Button>
        </div>
      </header>
      <Main>{children}</Main>
    </div>
  );
}

/** The content. If the focused element disappears, such as the button for an action that is done, the heading gets the focus. */
function Main({ children }: Pick<Props, "children">) {
  const main = useRef<HTMLElement>(null);
  const focused = useRef<EventTarget>(null);
  useEffect(() => {
    const observer = new MutationObserver(() => {
      const isGone = focused.current instanceof Node && !focused.current.isConnected;
      if (isGone && document.activeElement === document.body)
        main.current?.querySelector("h1")?.focus({ preventScroll: true });
    });
    if (main.current) observer.observe(main.current, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, []);
  return (
    <main
      ref={main}
      id="main"
      tabIndex={-1}
      onFocusIn={({ target }) => {
        focused.current = target;
      }}
    >
      {children}
    </main>
  );
}

type AreaLinkProps = {
  readonly href: string;
  readonly text: string;
  readonly icon: IconName;
  readonly isCurrent: boolean;
};

function AreaLink({ href, text, icon, isCurrent }: AreaLinkProps) {
  const element = useRef<HTMLAnchorElement>(null);
  // On a phone, not all links are visible at once.
  useEffect(() => {
    if (isCurrent) element.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [isCurrent]);
  return (
    <a ref={element} href={href} aria-current={isCurrent ? "page" : undefined}>
      <Icon name={icon} />
      <span>{text}</span>
    </a>
  );
}

/** The current community, with a link to choose another one. */
function Current({ me, communityId }: { readonly me: Me; readonly communityId: number }) {
  const owned = me.owned_communities.find(({ id }) => id === communityId);
  const { data } = useCommunity(communityId);
  const name = data?.name ?? owned?.name ?? "";
  return (
    <a class="current" href={linkTo(["communities"])}>
      <Avatar of={data ?? { id: communityId, name }} />
      <span class="current-name">
        <span class="current-title">{name}</span>
        <span class="current-hint">
          Switch<span class="hidden"> to another community</span>
        </span>
      </span>
      <Icon name="switch" />
    </a>
  );
}
