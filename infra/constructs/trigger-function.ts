import type { Construct } from "constructs";
import type { Settings } from "../settings.ts";
import { NodeFunction } from "./node-function.ts";
import type { Table, TableAccess } from "./table.ts";

type Props = {
  /** `functions/triggers/<file>.ts` */
  readonly file: string;
  readonly description: string;
  readonly access: TableAccess;
  readonly table: Table;
  readonly settings: Settings;
};

/** A function that AWS calls, not a caller of the API. */
export class TriggerFunction extends NodeFunction {
  constructor(scope: Construct, id: string, { file, description, access, table, settings }: Props) {
    super(scope, id, { bundle: `triggers/${file}`, description, settings });
    table.open(this, access);
  }
}
