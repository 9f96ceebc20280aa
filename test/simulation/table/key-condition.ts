import { type AttributeValue, compare, type Item } from "./attribute-value.ts";
import { type ConditionNode, holds, parseKeyCondition } from "./conditions.ts";
import { invalid } from "./failure.ts";
import type { QueryInput } from "./reads.ts";
import type { KeySchema } from "./schema.ts";
import { type Bindings, bindingsOf } from "./tokens.ts";

/** The partition, and the range of sort keys, that a Query reads. */
export type Range = {
  readonly hash: AttributeValue;
  /** Bounds of the sort key. Items before `from` or after `to` cannot match. */
  readonly from: AttributeValue | undefined;
  readonly to: AttributeValue | undefined;
  readonly isWithin: (item: Item) => boolean;
};

type Expression = Parameters<typeof bindingsOf>[1][number];

/** @throws TableFailure for a condition that is not a key condition */
export function rangeOf(schema: KeySchema, input: QueryInput, others: readonly Expression[]): Range {
  const parsed = parseKeyCondition(input.KeyConditionExpression ?? "");
  const bindings = bindingsOf(input, [parsed, ...others]);
  const parts = conjuncts(parsed.root);
  const about = (name: string | undefined) =>
    parts.filter((part) => name !== undefined && nameOf(part, bindings) === name);
  const [onHash, another] = about(schema.hash);
  if (!onHash) throw invalid(`Query condition missed key schema element: ${schema.hash}`);
  const onRange = about(schema.range);
  if (another || onRange.length > 1 || parts.length > 1 + onRange.length)
    throw invalid("Conditions can be of length 1 or 2 only");
  if (onHash.is !== "=" || !("value" in onHash.right)) throw invalid("Query key condition not supported");
  const hash = bindings.values[onHash.right.value] ?? {};
  if (hash.S === "")
    throw invalid(
      `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: ${schema.hash}`,
    );
  const [condition] = onRange;
  return { hash, ...boundsOf(condition, bindings), isWithin: (item) => !condition || holds(condition, item, bindings) };
}

rangeOf.parsed = parseKeyCondition;

const conjuncts = (node: ConditionNode): ConditionNode[] =>
  node.is === "and" ? [...conjuncts(node.left), ...conjuncts(node.right)] : [node];

function nameOf(node: ConditionNode, { names }: Bindings): string | undefined {
  const operand =
    "operands" in node ? node.operands[0] : "operand" in node ? node.operand : "left" in node ? node.left : undefined;
  if (!operand || !("path" in operand)) return undefined;
  const [name] = operand.path;
  return typeof name === "string" ? (names[name] ?? name) : undefined;
}

function boundsOf(node: ConditionNode | undefined, { values }: Bindings): Pick<Range, "from" | "to"> {
  const given = (operand: unknown) => values[(operand as { readonly value?: string }).value ?? ""];
  if (!node) return { from: undefined, to: undefined };
  if (node.is === "between") {
    const [from, to] = [given(node.from), given(node.to)];
    if (from && to && (compare(from, to) ?? 0) > 0)
      throw invalid(
        "Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to be greater than or equal to lower bound",
      );
    return { from, to };
  }
  if (node.is === "begins_with") return { from: given(node.operands[1]), to: undefined };
  if (!("right" in node) || node.is === "and" || node.is === "or" || node.is === "<>")
    throw invalid("Query key condition not supported");
  const value = given(node.right);
  return { from: node.is.startsWith("<") ? undefined : value, to: node.is.startsWith(">") ? undefined : value };
}
