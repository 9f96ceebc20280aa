import { Badge } from "./page.tsx";

type Props = { readonly label: string; readonly of: readonly { readonly id: number; readonly name: string }[] };

/** Names of records in a row. */
export function Chips({ label, of }: Props) {
  return (
    <ul class="chips" aria-label={label}>
      {of.map(({ id, name }) => (
        <li key={id}>
          <Badge tone="neutral">{name}</Badge>
        </li>
      ))}
    </ul>
  );
}
