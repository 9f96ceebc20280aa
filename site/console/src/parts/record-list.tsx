import type { ComponentChildren } from "preact";
import type { Moves } from "../data/use-records.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { Notice } from "./states.tsx";

type Listed = { readonly id: number; readonly name: string; readonly status: string };
/** A button of a record. `label` begins with `text` and names the record. */
type Action = { readonly text: string; readonly label: string; readonly onClick: () => void };

type Props<T> = {
  readonly of: readonly T[];
  /** Undefined if the person may not move them. */
  readonly moves: Moves<T> | undefined;
  readonly text: (record: T) => ComponentChildren;
  readonly actions: (record: T) => readonly Action[];
};

/** Records that can be moved up and down, and below them the archived ones. */
export function RecordList<T extends Listed>({ of, moves, text, actions }: Props<T>) {
  const active = of.filter(({ status }) => status === "active");
  const archived = of.filter(({ status }) => status === "archived");
  const row = (record: T, order?: ComponentChildren) => (
    <li key={record.id} class="card record">
      {order}
      {text(record)}
      <div class="actions">
        {actions(record).map((action) => (
          <Button key={action.text} label={action.label} onClick={action.onClick}>
            {action.text}
          </Button>
        ))}
      </div>
    </li>
  );
  return (
    <>
      {moves?.problem !== undefined && <Notice tone="warning" role="alert" title={moves.problem} />}
      <h2 class="hidden">Active</h2>
      <ul class="records">
        {active.map((record, n) =>
          row(
            record,
            moves && (
              <Order
                name={record.name}
                isFirst={n === 0}
                isLast={n === active.length - 1}
                isRunning={moves.isRunning}
                onMove={(by) => void moves.move(record, by)}
              />
            ),
          ),
        )}
      </ul>
      {archived.length > 0 && (
        <section aria-labelledby="archived">
          <h2 id="archived" class="section-title">
            Archived
          </h2>
          <ul class="records">{archived.map((record) => row(record))}</ul>
        </section>
      )}
    </>
  );
}

type OrderProps = {
  readonly name: string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly isRunning: boolean;
  readonly onMove: (by: -1 | 1) => void;
};

/** Moves a record up or down in its list. */
function Order({ name, isFirst, isLast, isRunning, onMove }: OrderProps) {
  const button = (by: -1 | 1, isEnd: boolean) => (
    <button
      type="button"
      class="button quiet icon-only"
      aria-label={`Move ${name} ${by < 0 ? "up" : "down"}`}
      aria-disabled={isEnd || isRunning ? "true" : undefined}
      onClick={() => {
        if (!isEnd && !isRunning) onMove(by);
      }}
    >
      <Icon name={by < 0 ? "up" : "down"} />
    </button>
  );
  return (
    <div class="order">
      {button(-1, isFirst)}
      {button(1, isLast)}
    </div>
  );
}
