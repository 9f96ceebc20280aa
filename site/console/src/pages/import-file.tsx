import { useState } from "preact/hooks";
import { type Plan, planOf } from "../data/import/plan.ts";
import { textOf } from "../data/import/read-csv.ts";
import { problemText } from "../data/problem-text.ts";
import { Button } from "../parts/button.tsx";
import { FieldInput } from "../parts/field.tsx";
import { Card } from "../parts/page.tsx";
import { Notice } from "../parts/states.tsx";

type Props = { readonly tiers: Plan["tiers"]; readonly isAdmin: boolean; readonly onChoose: (plan: Plan) => void };

/** The file of an import, or the cells of a spreadsheet. */
export function ImportFile({ tiers, isAdmin, onChoose }: Props) {
  const [pasted, setPasted] = useState("");
  const [problem, setProblem] = useState<string>();
  const choose = async (read: () => string | Promise<string>): Promise<void> => {
    setProblem(undefined);
    try {
      onChoose(planOf({ text: await read(), tiers, isAdmin }));
    } catch (error) {
      setProblem(
        error instanceof DOMException
          ? "Your browser cannot keep this file. Split it, and import the parts one after another."
          : problemText(error),
      );
    }
  };
  return (
    <>
      {problem !== undefined && <Notice tone="danger" role="alert" title={problem} />}
      <Card title="Choose a file">
        <p>
          Every row is a member, and the first row names the columns. A row needs an email address and a tier. Nothing
          is imported before you have checked the first rows, and seen which rows cannot be imported.
        </p>
        <label class="file">
          <span>CSV file</span>
          <input
            type="file"
            accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain"
            onChange={({ currentTarget }) => {
              const [file] = currentTarget.files ?? [];
              if (file) void choose(() => textOf(file));
              currentTarget.value = "";
            }}
          />
        </label>
        <details class="more-details" open={pasted !== ""}>
          <summary>Paste cells instead</summary>
          <FieldInput
            name="pasted"
            label="Cells, with the names of the columns"
            kind="long"
            value={pasted}
            onChange={(value) => setPasted(String(value))}
          />
          <div class="actions">
            <Button onClick={() => void choose(() => pasted)}>Use these cells</Button>
          </div>
        </details>
      </Card>
      <Card title="What happens to imported members">
        <ul class="bullets">
          <li>Odis sends them no email. People find their membership when they sign in with the same email address.</li>
          <li>They keep access until you end it, or until the day in the column “Ends on”. Nothing is charged.</li>
          <li>People who are imported twice are not added twice. What you changed here since then stays.</li>
        </ul>
      </Card>
    </>
  );
}
