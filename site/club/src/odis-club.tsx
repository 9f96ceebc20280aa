import { render } from "preact";
import styles from "../styles/club.css";
import { Club } from "./club.tsx";
import { type Connection, connectionTo } from "./connection.ts";
import type { AccessChange } from "./context.ts";

const sheet = new CSSStyleSheet();
sheet.replaceSync(styles);

/** The element `<odis-club>`. Its styles are a constructed sheet, to which `style-src` of a page does not apply. */
class OdisClub extends HTMLElement {
  static readonly observedAttributes = ["community", "api"];

  /** The last `odis-access`. Undefined until it is known. */
  access: AccessChange | undefined;

  connectedCallback(): void {
    if (!this.shadowRoot) this.attachShadow({ mode: "open" }).adoptedStyleSheets = [sheet];
    this.#render();
  }

  attributeChangedCallback(): void {
    if (this.isConnected && this.shadowRoot) this.#render();
  }

  disconnectedCallback(): void {
    // An element that is only moved is connected again at once.
    queueMicrotask(() => {
      if (!this.isConnected && this.shadowRoot) render(null, this.shadowRoot);
    });
  }

  /** The access token of the person, for requests to the page's own server. Undefined for visitors. */
  async token(): Promise<string | undefined> {
    return (await this.#connection()).session.token();
  }

  readonly #connection = (): Promise<Connection> =>
    connectionTo(this.getAttribute("api") ?? new URL(import.meta.url).origin);

  readonly #announce = (detail: AccessChange): void => {
    this.access = detail;
    this.dispatchEvent(new CustomEvent("odis-access", { detail, bubbles: true, composed: true }));
  };

  #render(): void {
    if (!this.shadowRoot) return;
    const community = this.getAttribute("community") ?? "";
    const key = `${community} ${this.getAttribute("api")}`;
    render(<Club key={key} name={community} connect={this.#connection} onAccess={this.#announce} />, this.shadowRoot);
  }
}

// A second script of the same page keeps the first one's element.
if (!customElements.get("odis-club")) customElements.define("odis-club", OdisClub);
