import { useEffect, useState } from "preact/hooks";
import type { Brand } from "../data/odis.ts";
import { problemText } from "../data/problem-text.ts";
import { useLoad } from "../data/use-load.ts";
import { countOf } from "../format.ts";
import { Button } from "../parts/button.tsx";
import { Form } from "../parts/form.tsx";
import { Badge, Card, Page } from "../parts/page.tsx";
import { Empty, Loaded, Notice } from "../parts/states.tsx";
import { goTo, linkTo } from "../router.ts";
import { useGroup, useOdis } from "../session.tsx";
import { CreateBrand, DeleteBrand, LinkBrand, RenameBrand } from "./brand-dialogs.tsx";

export const isProducerId = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text.trim().toLowerCase());

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
              label: "Id of the producer",
              hint: "Producers are managed in another system, where you find the id.",
            },
          ]}
          opened={{ values: { producer: producerId ?? "" } }}
          submit="Show the brands"
          check={({ producer }) => ({
            producer: isProducerId(String(producer))
              ? undefined
              : "An id looks like 0d1f5d0a-7f5e-4a3b-8a53-5d9b1c6e0001.",
          })}
          send={async (_, __, { producer }) =>
            goTo(linkTo(["brands"], { producer: String(producer).trim().toLowerCase() }))
          }
        />
        {recent.length > 0 && (
          <nav aria-label="Producers that you looked at" class="recent">
            <span class="muted">Recently</span>
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

type Open = { readonly dialog: "create" } | { readonly dialog: "rename" | "link" | "delete"; readonly brand: Brand };

function BrandList({ producerId, recent }: { readonly producerId: string; readonly recent: readonly string[] }) {
  const odis = useOdis();
  const isEditor = useGroup("editor");
  const isAdmin = useGroup("admin");
  const mayEdit = isEditor || isAdmin;
  const [text, setText] = useState("");
  const [wanted, setWanted] = useState("");
  const [pages, setPages] = useState(1);
  const [open, setOpen] = useState<Open>();
  useEffect(() => {
    const timer = setTimeout(() => {
      setWanted(text.trim());
      setPages(1);
    }, 250);
    return () => clearTimeout(timer);
  }, [text]);
  const list = useLoad(
    async (signal) => {
      const data: Brand[] = [];
      for (let page = 1; ; page++) {
        const query = { page, per: 50, ...(wanted !== "" && { query: wanted }) };
        const params = { path: { producer_id: producerId }, query };
        const answer = await odis.get("/odis/v1/producers/{producer_id}/brands", { params, signal });
        data.push(...answer.data);
        if (!answer.has_more || page === pages) return { ...answer, data };
      }
    },
    [producerId, wanted, pages],
  );
  const shared = { producerId, recent, onClose: () => setOpen(undefined), onDone: list.reload };
  return (
    <Card
      title="Brands of this producer"
      actions={
        mayEdit && (
          <Button tone="primary" onClick={() => setOpen({ dialog: "create" })}>
            Create a brand
          </Button>
        )
      }
    >
      <label class="search">
        <span>Search</span>
        <input
          type="search"
          placeholder="Any part of the name"
          maxLength={100}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <p class="result-count" role="status">
        {list.data && !list.isLoading && countOf(list.data.total, "brand")}
      </p>
      {!mayEdit && <Notice title="You can look at brands. Editors and admins can change them." />}
      <Loaded what="the brands" of={list}>
        {({ data, has_more }) => (
          <>
            {data.length === 0 && (
              <Empty title={wanted === "" ? "This producer has no brands" : "No brand has this name"} />
            )}
            <ul class="rows">
              {data.map((brand) => (
                <BrandRow key={brand.id} brand={brand} mayEdit={mayEdit} onOpen={setOpen} />
              ))}
            </ul>
            {has_more && (
              <Button isRunning={list.isLoading} onClick={() => setPages(pages + 1)}>
                Show more brands
              </Button>
            )}
          </>
        )}
      </Loaded>
      {list.error !== undefined && list.data && <Notice tone="danger" title={problemText(list.error)} />}
      {open?.dialog === "create" && <CreateBrand {...shared} />}
      {open?.dialog === "rename" && <RenameBrand {...shared} brand={open.brand} />}
      {open?.dialog === "link" && <LinkBrand {...shared} brand={open.brand} />}
      {open?.dialog === "delete" && <DeleteBrand {...shared} brand={open.brand} />}
    </Card>
  );
}

type RowProps = { readonly brand: Brand; readonly mayEdit: boolean; readonly onOpen: (open: Open) => void };

function BrandRow({ brand, mayEdit, onOpen }: RowProps) {
  const { name, producer_ids } = brand;
  const others = producer_ids.length - 1;
  return (
    <li class="row">
      <div class="row-main">
        <strong>{name}</strong>
        {others > 0 && <Badge tone="neutral">Also of {countOf(others, "other producer")}</Badge>}
      </div>
      {mayEdit && (
        <div class="actions">
          <Button label={`Rename ${name}`} onClick={() => onOpen({ dialog: "rename", brand })}>
            Rename
          </Button>
          <Button label={`Producers of ${name}`} onClick={() => onOpen({ dialog: "link", brand })}>
            Producers
          </Button>
          <Button label={`Delete ${name}`} onClick={() => onOpen({ dialog: "delete", brand })}>
            Delete
          </Button>
        </div>
      )}
    </li>
  );
}
