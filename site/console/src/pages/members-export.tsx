import { useState } from "preact/hooks";
import { exportMembers, save } from "../data/export-members.ts";
import { problemText } from "../data/problem-text.ts";
import { countOf, numberOf } from "../format.ts";
import { announce } from "../parts/announce.tsx";
import { Button } from "../parts/button.tsx";
import { useSession } from "../session.tsx";

type Props = {
  readonly communityId: number;
  readonly filters: Readonly<Record<string, string | undefined>>;
  readonly label: string;
  /** What a row of the file is, such as `member`. */
  readonly thing: string;
};

/** Saves the members that the filters show as a CSV file. */
export function Export({ communityId, filters, label, thing }: Props) {
  const { accessToken } = useSession();
  const [count, setCount] = useState<number>();
  const start = async (): Promise<void> => {
    setCount(0);
    let last = 0;
    try {
      const file = await exportMembers(communityId, filters, accessToken, (now) => {
        last = now;
        setCount(now);
      });
      save(file, `${thing}s-${communityId}-${new Date().toISOString().slice(0, 10)}.csv`);
      announce(`Exported ${countOf(last, thing)}.`);
    } catch (error) {
      announce(`Nothing was exported. ${problemText(error)}`);
    } finally {
      setCount(undefined);
    }
  };
  const isRunning = count !== undefined;
  return (
    <Button isRunning={isRunning} onClick={() => void start()}>
      {isRunning ? `Exporting ${numberOf(count)}…` : label}
    </Button>
  );
}
