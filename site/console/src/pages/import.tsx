import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { draftOf } from "../data/drafts.ts";
import type { Plan } from "../data/import/plan.ts";
import { checkRows } from "../data/import/records.ts";
import { noProgress, type Progress } from "../data/import/send.ts";
import { useRights } from "../data/rights.ts";
import { useTiers } from "../data/use-records.ts";
import { Page } from "../parts/page.tsx";
import { Loaded, Notice } from "../parts/states.tsx";
import { linkTo } from "../router.ts";
import { useGroup, useSession } from "../session.tsx";
import { ImportColumns } from "./import-columns.tsx";
import { ImportFile } from "./import-file.tsx";
import { ImportPreview } from "./import-preview.tsx";
import { ImportRun } from "./import-run.tsx";

/** Imports members from a file: it is chosen, its columns are matched, its rows are checked, and then they are sent. */
export function ImportPage({ communityId }: { readonly communityId: number }) {
  const may = useRights(communityId);
  const tiers = useTiers(communityId);
  return (
    <Page
      title="Import members"
      back={{ href: linkTo(["communities", communityId, "members"]), text: "All members" }}
      lead={<p>From a CSV file, or from cells that you copied in a spreadsheet.</p>}
    >
      {may("members_import") ? (
        <Loaded what="the tiers" of={tiers}>
          {(all) => <Steps communityId={communityId} tiers={all} />}
        </Loaded>
      ) : (
        <Notice title="Your role does not allow importing members.">
          <p>The owner of the community and managers can import.</p>
        </Notice>
      )}
    </Page>
  );
}

type StepsProps = { readonly communityId: number; readonly tiers: Plan["tiers"] };

function Steps({ communityId, tiers }: StepsProps) {
  const isAdmin = useGroup("admin");
  const { me } = useSession();
  const userId = me?.user?.id ?? 0;
  const [kept] = useState(() => ({
    plan: draftOf<Plan>(userId, "plan"),
    progress: draftOf<Progress>(userId, "progress"),
  }));
  const [plan, setPlan] = useState(kept.plan.find);
  const [progress, setProgress] = useState(kept.progress.find);
  const checked = useMemo(() => (plan ? checkRows(plan) : []), [plan]);
  const good = useMemo(() => checked.filter(({ errors }) => errors.length === 0), [checked]);
  const step = plan === undefined ? "file" : progress === undefined ? "check" : "run";
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current !== step) document.querySelector("h1")?.focus();
    shown.current = step;
  }, [step]);

  /** @throws DOMException if the browser cannot keep it */
  const change = (next: Plan): void => {
    kept.plan.keep(next);
    setPlan(next);
  };
  const advance = (next: Progress): void => {
    setProgress(next);
    try {
      kept.progress.keep(next);
    } catch {
      // The storage is full. A reload sends the requests since the last kept progress again, with their keys.
    }
  };
  const startAnew = (): void => {
    kept.plan.forget();
    kept.progress.forget();
    setPlan(undefined);
    setProgress(undefined);
  };

  if (!plan) return <ImportFile tiers={tiers} isAdmin={isAdmin} onChoose={change} />;
  if (progress)
    return (
      <ImportRun
        communityId={communityId}
        plan={plan}
        checked={checked}
        good={good}
        progress={progress}
        onProgress={advance}
        onStartAnew={startAnew}
      />
    );
  return (
    <>
      <ImportColumns plan={plan} isAdmin={isAdmin} onChange={change} />
      <ImportPreview
        plan={plan}
        checked={checked}
        good={good}
        onStart={() => advance(noProgress())}
        onStartAnew={startAnew}
      />
    </>
  );
}
