import type { Plan } from "../data/import/plan.ts";
import type { CheckedRow } from "../data/import/records.ts";
import { reportOf } from "../data/import/send.ts";
import { save } from "../data/save-file.ts";
import { numberOf } from "../format.ts";
import { Button } from "../parts/button.tsx";

type Props = { readonly plan: Plan; readonly rows: readonly (CheckedRow & { readonly reason: string })[] };

/** Number of rows that are shown. The others are in the file. */
const most = 100;

/** Rows that are not imported, with their lines and the reasons, and as a file to correct. */
export function FailedRows({ plan, rows }: Props) {
  if (rows.length === 0) return null;
  return (
    <>
      <div class="table-frame">
        <table>
          <caption class="hidden">Rows that are not imported</caption>
          <thead>
            <tr>
              <th scope="col" class="number line">
                Line
              </th>
              <th scope="col">Reason</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, most).map(({ line, record, reason }) => (
              <tr key={line}>
                <th scope="row" class="number">
                  {line}
                </th>
                <td class="reason">
                  {reason}
                  <span class="muted">{record.user.email}</span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > most && <p class="muted">And {numberOf(rows.length - most)} more, in the file.</p>}
      <div class="actions">
        <Button onClick={() => save(reportOf(plan, rows), "not-imported.csv")}>
          Download these rows with the reasons
        </Button>
      </div>
    </>
  );
}
