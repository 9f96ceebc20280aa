const person = document.getElementById("person");

/**
 * Colours that are darker than Scalar's, as text in them is read at small sizes, and buttons that are large enough for
 * fingers (WCAG 2.2, 2.5.8).
 */
const styles = `
  .light-mode {
    --scalar-color-2: #545454; --scalar-color-3: #636363; --scalar-color-ghost: #636363; --scalar-color-accent: #005fa3;
    --scalar-color-blue: #005fa3; --scalar-color-green: #056a3c; --scalar-color-orange: #9a4300;
    --scalar-color-red: #b3121d; --scalar-color-yellow: #7a5800; --scalar-color-purple: #5b2fb0;
  }
  .dark-mode {
    --scalar-color-2: #bdbdbd; --scalar-color-3: #a8a8a8; --scalar-color-ghost: #a8a8a8; --scalar-color-red: #ff9a9a;
  }
  li[data-sidebar-id] button.absolute[aria-expanded] {
    display: grid; place-items: center; min-width: 24px; min-height: 24px;
  }
`;

/** Nothing comes from elsewhere, and nothing goes there: no fonts, no proxy, no telemetry, no assistant. */
const settings = {
  url: "/openapi.json",
  servers: [{ url: location.origin }],
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
  persistAuth: false,
  documentDownloadType: "json",
  customCss: styles,
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
};

/** The settings with the token of whom the page is signed in as. */
const signedIn = () => ({
  ...settings,
  authentication: { preferredSecurityScheme: "bearer", securitySchemes: { bearer: { token: person.value } } },
});

/** The local stack knows people whom the page can act as; a deployed one has none to give away. */
async function offerPeople() {
  const people = await fetch("/explore/people.json").then((response) => response.json());
  person.append(...people.map(({ name, token }) => new Option(name, token)));
  for (const element of document.querySelectorAll(".local")) element.hidden = false;
}

/** What Scalar's markup lacks for those who do not see it, and for those who have no mouse. */
const repairs = {
  "button.scalar-code-copy:not([aria-label])": (button) => button.setAttribute("aria-label", "Copy"),
  "button[aria-haspopup]:not([aria-label])": (button) => {
    if (button.innerText.trim() === "") button.setAttribute("aria-label", "Choose a value");
  },
  "button:is([role=none], [role=alert])": (button) => button.removeAttribute("role"),
  "[role=combobox][contenteditable]:not([aria-expanded])": (input) => input.setAttribute("role", "textbox"),
  ".cm-content:not([aria-label])": (text) => text.setAttribute("aria-label", "Text"),
  "button.show-more[aria-label]": (button) => button.removeAttribute("aria-label"),
  "ul.endpoints:not([tabindex]), .cm-scroller:not([tabindex='0'])": (list) => list.setAttribute("tabindex", "0"),
  "button[class*=copy-button][aria-controls]": (button) => button.removeAttribute("aria-controls"),
};

function repair() {
  for (const [selector, mend] of Object.entries(repairs))
    for (const element of document.querySelectorAll(selector)) mend(element);
}

new MutationObserver(repair).observe(document.body, { childList: true, subtree: true });
const reference = Scalar.createApiReference("#reference", signedIn());
person.addEventListener("change", () => reference.updateConfiguration(signedIn()));
if (["127.0.0.1", "localhost"].includes(location.hostname)) void offerPeople();
