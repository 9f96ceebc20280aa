import { useState } from "preact/hooks";
import { type CsvList, exportList } from "../data/export-list.ts";
import { problemText } from "../data/problem-text.ts";
import { save } from "../data/save-file.ts";
import { countOf, numberOf } from "../format.ts";
import { announce } from "../parts/announce.tsx";
import { Button } from "../parts/button.tsx";
import { isSignedOut, useSession } from "../session.tsx";

type Props = {
  readonly communityId: number;
  readonly filters: Readonly<Record<string, string | undefined>>;
  readonly label: string;
  /** Default: the members. */
  readonly list?: CsvList;
  /** What a row of the file is, such as `member`. */
  readonly thing: string;
  /** The end of the file's name. Default: the current day. */
  readonly period?: string | undefined;
};

/** Saves the records that the filters show as a CSV file. */
export function Export({ communityId, filters, label, list = "members", thing, period }: Props) {
  const { readCsv, end } = useSession();
  const [count, setCount] = useState<number>();
  const start = async (): Promise<void> => {
    setCount(0);
    let last = 0;
    try {
      const file = await exportList(communityId, list, filters, readCsv, (now) => {
        last = now;
        setCount(now);
      });
      save(file, `${thing}s-${communityId}-${period ?? new Date().toISOString().slice(0, 10)}.csv`);
      announce(`Exported ${countOf(last, thing)}.`);
    } catch (error) {
      if (isSignedOut(error)) return void end({ hasEnded: true });
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

type CopyProps = {
  readonly communityId: number;
  /** Filters of the list, as JSON. */
  readonly filters: string;
};

/** Copies the email addresses of all members that the filters show, for the field Bcc of a message. */
export function CopyEmails({ communityId, filters }: CopyProps) {
  const { odis, end } = useSession();
  const [isRunning, setIsRunning] = useState(false);
  const copy = async (): Promise<void> => {
    setIsRunning(true);
    const emails = new Set<string>();
    try {
      const params = {
        path: { community_id: communityId },
        query: { ...(JSON.parse(filters) as object), per: 100 },
      };
      for await (const { user } of odis.iterate("/odis/v1/communities/{community_id}/members", { params }))
        if (user.email) emails.add(user.email);
      await navigator.clipboard.writeText([...emails].join(", "));
      const addresses = emails.size === 1 ? "1 email address was" : `${numberOf(emails.size)} email addresses were`;
      announce(`${addresses} copied. Paste them into Bcc.`);
    } catch (error) {
      if (isSignedOut(error)) return void end({ hasEnded: true });
      announce(
        error instanceof DOMException && error.name === "NotAllowedError"
          ? "The browser does not allow copying."
          : `Nothing was copied. ${problemText(error)}`,
      );
    } finally {
      setIsRunning(false);
    }
  };
  return (
    <Button isRunning={isRunning} onClick={() => void copy()}>
      Copy emails
    </Button>
  );
}
