import { useState } from "preact/hooks";
import type { Brand } from "../data/odis.ts";
import { problemText } from "../data/problem-text.ts";
import { useLoad } from "../data/use-load.ts";
import { countOf } from "../format.ts";
import { Button } from "../parts/button.tsx";
import { Badge, Card } from "../parts/page.tsx";
import { SearchField } from "../parts/search-field.tsx";
import { Empty, Loaded, Notice } from "../parts/states.tsx";
import { useGroup, useOdis } from "../session.tsx";
import { CreateBrand, DeleteBrand, LinkBrand, RenameBrand } from "./brand-dialogs.tsx";

type Open = { readonly dialog: "create" } | { readonly dialog: "rename" | "link" | "delete"; readonly brand: Brand };

/** The brands of a producer. */
export function BrandList({ producerId, recent }: { readonly producerId: string; readonly recent: readonly string[] }) {
  const odis = useOdis();
  const isEditor = useGroup("editor");
  const isAdmin = useGroup("admin");
  const mayEdit = isEditor || isAdmin;
  const [wanted, setWanted] = useState("");
  const [pages, setPages] = useState(1);
  const [open, setOpen] = useState<Open>();
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
  // Reloads the list in any case, because a request whose response was lost may have taken effect.
  const onClose = (): void => {
    setOpen(undefined);
    list.reload();
  };
  const shared = { producerId, recent, onClose };
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
      <SearchField
        placeholder="Any part of the name"
        maxLength={100}
        value={wanted}
        onSearch={(text) => {
          setWanted(text);
          setPages(1);
        }}
      />
      <p class="result-count" role="status">
        {list.data && !list.isLoading && countOf(list.data.total, "brand")}
      </p>
      {!mayEdit && <Notice title="You can view brands. Only editors and admins can change them." />}
      <Loaded what="the brands" of={list}>
        {({ data, has_more }) => (
          <>
            {data.length === 0 && <Empty title={wanted === "" ? "This producer has no brands" : "No brands match"} />}
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
        {others > 0 && <Badge tone="neutral">Shared with {countOf(others, "other producer")}</Badge>}
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
