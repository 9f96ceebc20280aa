import { useEffect, useId, useState } from "preact/hooks";
import type { Plan } from "../data/import/plan.ts";
import type { CheckedRow } from "../data/import/records.ts";
import { type Progress, sendRows } from "../data/import/send.ts";
import { problemText } from "../data/problem-text.ts";
import { countOf, numberOf } from "../format.ts";
import { announce } from "../parts/announce.tsx";
import { Button, ButtonLink } from "../parts/button.tsx";
import { Card, Facts } from "../parts/page.tsx";
import { Notice } from "../parts/states.tsx";
import { linkTo } from "../router.ts";
import { isSignedOut, useOdis, useSession } from "../session.tsx";
import { FailedRows } from "./import-failed.tsx";

type Props = {
  readonly communityId: number;
  readonly plan: Plan;
  readonly checked: readonly CheckedRow[];
  /** The rows that are imported. */
  readonly good: readonly CheckedRow[];
  readonly progress: Progress;
  readonly onProgress: (progress: Progress) => void;
  readonly onStartAnew: () => void;
};

/** Sends the rows, also those that an earlier visit to the page has left, and shows what became of each. */
export function ImportRun({ communityId, plan, checked, good, progress, onProgress, onStartAnew }: Props) {
  const odis = useOdis();
  const { end } = useSession();
  const id = useId();
  const [attempt, setAttempt] = useState(0);
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    if (progress.rows < good.length) {
      setError(undefined);
      sendRows({ odis, communityId, rows: good, signal, onProgress }, progress).then(
        () => !signal.aborted && announce("The import is finished."),
        (failure: unknown) => {
          if (signal.aborted) return;
          if (isSignedOut(failure)) void end({ hasEnded: true });
          setError(failure);
        },
      );
    }
    return () => controller.abort();
  }, [attempt]);

  const { rows, created, updated, unchanged } = progress;
  if (rows < good.length)
    return (
      <Card title="Importing">
        <label for={id}>
          {numberOf(rows)} of {countOf(good.length, "row")}
        </label>
        <progress id={id} value={rows} max={good.length} />
        {error === undefined ? (
          <p class="muted">You can reload this page, or come back to it in this tab: the import continues.</p>
        ) : (
          <>
            <Notice tone="danger" role="alert" title="The import has stopped">
              <p>{problemText(error)} Nobody is imported twice.</p>
            </Notice>
            <div class="actions end">
              <Button onClick={onStartAnew}>Choose another file</Button>
              <Button tone="primary" onClick={() => setAttempt(attempt + 1)}>
                Continue
              </Button>
            </div>
          </>
        )}
      </Card>
    );
  const failed = [
    ...checked.filter(({ errors }) => errors.length > 0).map((row) => ({ ...row, reason: row.errors.join(" ") })),
    ...progress.failed.flatMap(({ index, reason }) => {
      const row = good[index];
      return row ? [{ ...row, reason }] : [];
    }),
  ].toSorted((one, other) => one.line - other.line);
  return (
    <>
      <Card title={`${countOf(created, "member")} imported`}>
        <Facts
          of={[
            ["New", numberOf(created)],
            ["Changed", numberOf(updated)],
            ["The same as before", numberOf(unchanged)],
            ["Not imported", numberOf(failed.length)],
          ]}
        />
        <div class="actions">
          <ButtonLink href={linkTo(["communities", communityId, "members"])}>Show the members</ButtonLink>
          <Button onClick={onStartAnew}>Import another file</Button>
        </div>
      </Card>
      {failed.length > 0 && (
        <Card title="Rows that were not imported">
          <FailedRows plan={plan} rows={failed} />
        </Card>
      )}
    </>
  );
}
