import { useEffect, useState } from "preact/hooks";
import { Form } from "../parts/form.tsx";
import { Card, Page } from "../parts/page.tsx";
import { goTo, linkTo } from "../router.ts";
import { isProducerId } from "./brand-fields.ts";
import { BrandList } from "./brand-list.tsx";

/** Producers whose brands were shown in this tab, the last one first. */
const recentKey = "odis.console.producers";
const recentProducers = (): string[] =>
  (sessionStorage.getItem(recentKey) ?? "").split(",").filter((id) => isProducerId(id));

export function BrandsPage({ query }: { readonly query: URLSearchParams }) {
  const given = query.get("producer")?.toLowerCase() ?? "";
  const producerId = isProducerId(given) ? given : undefined;
  const [recent, setRecent] = useState(recentProducers);
  useEffect(() => {
    if (producerId === undefined) return;
    const producers = [producerId, ...recentProducers().filter((id) => id !== producerId)].slice(0, 5);
    sessionStorage.setItem(recentKey, producers.join(","));
    setRecent(producers);
  }, [producerId]);
  return (
    <Page title="Brands" lead={<p>The brands of a producer. A brand can belong to several producers.</p>}>
      <Card title="Producer">
        <Form
          key={producerId ?? "none"}
          fields={[
            {
              name: "producer",
              label: "Producer id",
              hint: "Producers are managed in another system. Copy the id from there.",
            },
          ]}
          opened={{ values: { producer: producerId ?? "" } }}
          submit="Show the brands"
          check={({ producer }) => ({
            producer: isProducerId(String(producer))
              ? undefined
              : "Enter an id such as 0d1f5d0a-7f5e-4a3b-8a53-5d9b1c6e0001.",
          })}
          send={async (_, __, { producer }) =>
            goTo(linkTo(["brands"], { producer: String(producer).trim().toLowerCase() }))
          }
        />
        {recent.length > 0 && (
          <nav aria-label="Recent producers" class="recent">
            <span class="muted">Recent</span>
            {recent.map((id) => (
              <a
                key={id}
                href={linkTo(["brands"], { producer: id })}
                aria-current={id === producerId ? "page" : undefined}
              >
                <code>
                  {id.slice(0, 8)}…{id.slice(-4)}
                </code>
              </a>
            ))}
          </nav>
        )}
      </Card>
      {producerId !== undefined && <BrandList key={producerId} producerId={producerId} recent={recent} />}
    </Page>
  );
}
