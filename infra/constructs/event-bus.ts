import { EventBus as Bus } from "aws-cdk-lib/aws-events";
import { Grant } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import type { Settings } from "../settings.ts";
import type { NodeFunction } from "./node-function.ts";

/** The bus on which other systems receive events. They define their own rules. */
export class EventBus extends Construct {
  readonly bus: Bus;

  constructor(scope: Construct, id: string, { stage }: Settings) {
    super(scope, id);
    this.bus = new Bus(this, "Bus", {
      eventBusName: `odis-${stage}`,
      description: "Members, refunds, benefits and brands: what has happened to them",
    });
  }

  get name(): string {
    return this.bus.eventBusName;
  }

  /** Allows a function to send events to the bus, and sets its name in the environment. */
  openTo(sender: NodeFunction): void {
    sender.addEnvironment("EVENT_BUS_NAME", this.name);
    Grant.addToPrincipal({ grantee: sender, actions: ["events:PutEvents"], resourceArns: [this.bus.eventBusArn] });
  }
}
