import { type ConditionNode, holds, parseCondition } from "../table/conditions.ts";
import type { Engine } from "../table/engine.ts";
import { resolved } from "../table/paths.ts";
import type { Bindings } from "../table/tokens.ts";
import type { WriteInput } from "../table/writes.ts";
import { tableInput } from "./table-input.ts";

type Labelled = WriteInput & { readonly label?: string };
type Input = Labelled & { readonly TransactItems?: readonly Readonly<Record<string, Labelled>>[] };

const decisive = new Set<string>();

/** Returns the names of all labelled conditions that alone have refused a write since the last call. */
export function takeDecisive(): string[] {
  const names = [...decisive];
  decisive.clear();
  return names;
}

/** Notes the condition of a command that alone refuses it, and the attribute that alone makes the condition fail. */
export function noteDecisive({ tables }: Engine, { TransactItems, ...single }: Input): void {
  const { storage } = tables.find(tableInput.TableName);
  const actions = TransactItems ? TransactItems.flatMap((one) => Object.values(one)) : [single];
  if (actions.every(({ label }) => label === undefined)) return;
  const refused = actions.flatMap((action) => {
    const condition = action.ConditionExpression === undefined ? undefined : parseCondition(action.ConditionExpression);
    if (!condition) return [];
    const { pk, sk } = action.Item ?? action.Key ?? {};
    const item = storage.get({ pk: pk ?? {}, sk: sk ?? {} }) ?? {};
    const { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} } = action;
    const bindings = { names, values };
    const failed = partsOf(condition.root).filter((part) => !holds(part, item, bindings));
    return failed.length > 0
      ? [{ label: action.label, failed: failed.map((part) => attributeOf(part, bindings)) }]
      : [];
  });
  const [only, another] = refused;
  if (!only || another || only.label === undefined) return;
  decisive.add(only.label);
  const [attribute, ...others] = only.failed;
  if (attribute !== undefined && others.length === 0) decisive.add(`${only.label} ${attribute}`);
}

const partsOf = (node: ConditionNode): ConditionNode[] =>
  node.is === "and" ? [...partsOf(node.left), ...partsOf(node.right)] : [node];

/** The attribute that a comparison is about. Undefined for alternatives. */
function attributeOf(node: ConditionNode, bindings: Bindings): string | undefined {
  const operand =
    "operands" in node ? node.operands[0] : "left" in node && !("left" in node.left) ? node.left : undefined;
  return operand && "path" in operand ? String(resolved(operand, bindings)[0]) : undefined;
}
