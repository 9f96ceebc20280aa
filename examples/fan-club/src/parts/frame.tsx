import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso";
import { useSession } from "../session.tsx";

/** What all pages share: the bar at the top and the line at the bottom. */
export function Frame({ children }: { readonly children: ComponentChildren }) {
  const { user } = useSession();
  const { path } = useLocation();
  const current = (href: string) => (path === href ? ("page" as const) : undefined);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="bar">
        <a class="brand" href="/">
          <Glass /> Fan Club
        </a>
        <nav aria-label="Main">
          <a class="from-tablet" href="/" aria-current={current("/")}>
            Explore
          </a>
          {user && (
            <a class="person" href="/me" aria-current={current("/me")}>
              <span class="initial" aria-hidden="true">
                {(user.first_name || user.email).slice(0, 1).toUpperCase()}
              </span>
              My memberships
            </a>
          )}
          {user === null && (
            <>
              <a href="/sign-in" aria-current={current("/sign-in")}>
                Sign in
              </a>
              <a class="button small" href="/sign-up">
                Sign up
              </a>
            </>
          )}
        </nav>
      </header>
      <main id="main">{children}</main>
      <footer class="foot">
        <p>Fan Club is an example app on Odis. Please enjoy responsibly.</p>
      </footer>
    </>
  );
}

const Glass = () => (
  <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
    <path d="M5 3h14l-1.5 9.5a5.55 5.55 0 0 1-11 0zM12 17v4M8 21h8M5.6 8h12.8" />
  </svg>
);
