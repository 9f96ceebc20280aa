import type { Plan } from "../data/import/plan.ts";
import type { CheckedRow } from "../data/import/records.ts";
import { statusTexts } from "../data/member-words.ts";
import { countOf, nameOf, numberOf, utcDateOf } from "../format.ts";
import { Button } from "../parts/button.tsx";
import { Card } from "../parts/page.tsx";
import { Notice } from "../parts/states.tsx";
import { FailedRows } from "./import-failed.tsx";

type Props = {
  readonly plan: Plan;
  readonly checked: readonly CheckedRow[];
  /** The rows that can be imported. */
  readonly good: readonly CheckedRow[];
  readonly onStart: () => void;
  readonly onStartAnew: () => void;
};

/** The first rows as they will be imported, and every row that cannot be imported. */
export function ImportPreview({ plan, checked, good, onStart, onStartAnew }: Props) {
  const failed = checked
    .filter(({ errors }) => errors.length > 0)
    .map((row) => ({ ...row, reason: row.errors.join(" ") }));
  return (
    <Card title="Check the rows">
      <p role="status" class="import-count">
        {numberOf(good.length)} of {countOf(checked.length, "row")} can be imported.
      </p>
      {good.length > 0 && <FirstRows plan={plan} rows={good.slice(0, 5)} />}
      {failed.length > 0 && (
        <Notice tone="warning" title={`${countOf(failed.length, "row")} cannot be imported`}>
          <p>Match the columns above, or correct the file. You can also import the other rows now.</p>
        </Notice>
      )}
      <FailedRows plan={plan} rows={failed} />
      <div class="actions end">
        <Button onClick={onStartAnew}>Choose another file</Button>
        <Button tone="primary" isDisabled={good.length === 0} onClick={onStart}>
          Import {countOf(good.length, "member")}
        </Button>
      </div>
    </Card>
  );
}

function FirstRows({ plan, rows }: { readonly plan: Plan; readonly rows: readonly CheckedRow[] }) {
  return (
    <div class="table-frame">
      <table>
        <caption class="hidden">The first rows, as they will be imported</caption>
        <thead>
          <tr>
            <th scope="col">Member</th>
            <th scope="col">Tier</th>
            <th scope="col" class="wide">
              Status
            </th>
            <th scope="col" class="wide">
              Joined
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ line, record }) => (
            <tr key={line}>
              <th scope="row">
                <span class="row-name">{nameOf(record.user)}</span>
                <span class="muted">{record.user.email}</span>
              </th>
              <td>{plan.tiers.find(({ id }) => id === record.tier_id)?.name}</td>
              <td class="wide">{statusTexts[record.status]}</td>
              <td class="wide">{utcDateOf(record.created_at)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
