import { Duration } from "aws-cdk-lib";
import type { RecursiveLoop } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { type Trigger, triggerTimeLimits } from "#lib/contract/time-limits.ts";
import type { Settings } from "../settings.ts";
import { NodeFunction } from "./node-function.ts";
import type { Table, TableAccess } from "./table.ts";

export type TriggerProps = {
  /** `functions/triggers/<file>.ts` */
  readonly file: Trigger;
  readonly description: string;
  /** Access to the table. Default: none. */
  readonly access?: TableAccess;
  readonly memory?: number;
  readonly reservedConcurrency?: number | undefined;
  readonly recursiveLoop?: RecursiveLoop;
  readonly table: Table;
  readonly settings: Settings;
};

/** A function that an AWS service calls instead of the gateway. */
export class TriggerFunction extends NodeFunction {
  constructor(scope: Construct, id: string, { file, access, table, ...rest }: TriggerProps) {
    const timeout = Duration.seconds(triggerTimeLimits[file]);
    super(scope, id, { bundle: `triggers/${file}`, logs: "triggers", timeout, ...rest });
    if (access) table.open(this, access);
  }
}
