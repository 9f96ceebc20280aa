import { type AttributeValue, compare, equal, type Item, membersOf, sizeOf, typeOf } from "./attribute-value.ts";
import { invalid } from "./failure.ts";
import { resolved, valueAt } from "./paths.ts";
import { type Bindings, type ExpressionKind, type PathNode, remembering, Tokens, type ValueNode } from "./tokens.ts";

export type Operand = PathNode | ValueNode | { readonly size: Operand };
const comparators = ["=", "<>", "<", "<=", ">", ">="] as const;
type Comparator = (typeof comparators)[number];
const functions = ["attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains"] as const;
type FunctionName = (typeof functions)[number];

export type ConditionNode =
  | { readonly is: "and" | "or"; readonly left: ConditionNode; readonly right: ConditionNode }
  | { readonly is: "not"; readonly of: ConditionNode }
  | { readonly is: "between"; readonly operand: Operand; readonly from: Operand; readonly to: Operand }
  | { readonly is: "in"; readonly operand: Operand; readonly among: readonly Operand[] }
  | { readonly is: Comparator; readonly left: Operand; readonly right: Operand }
  | { readonly is: FunctionName; readonly operands: readonly Operand[] };

export type Condition = {
  readonly kind: ExpressionKind;
  readonly used: ReadonlySet<string>;
  readonly root: ConditionNode;
};

const parse = (kind: ExpressionKind) =>
  remembering((text): Condition => {
    const tokens = new Tokens(kind, text);
    const root = disjunction(tokens);
    tokens.end();
    return { kind, used: tokens.used, root };
  });

export const parseCondition = parse("ConditionExpression");
export const parseFilter = parse("FilterExpression");
export const parseKeyCondition = parse("KeyConditionExpression");

function disjunction(tokens: Tokens): ConditionNode {
  let left = conjunction(tokens);
  while (tokens.takes("OR")) left = { is: "or", left, right: conjunction(tokens) };
  return left;
}

function conjunction(tokens: Tokens): ConditionNode {
  let left = negation(tokens);
  while (tokens.takes("AND")) left = { is: "and", left, right: negation(tokens) };
  return left;
}

function negation(tokens: Tokens): ConditionNode {
  if (tokens.takes("NOT")) return { is: "not", of: negation(tokens) };
  if (tokens.takes("(")) {
    const inner = disjunction(tokens);
    tokens.expect(")");
    return inner;
  }
  const name = functions.find((one) => one === tokens.peek());
  if (name && tokens.peek(1) === "(") {
    tokens.next();
    return { is: name, operands: operandsOf(tokens) };
  }
  return comparison(tokens);
}

function comparison(tokens: Tokens): ConditionNode {
  const operand = operandOf(tokens);
  if (tokens.takes("BETWEEN")) {
    const from = operandOf(tokens);
    tokens.expect("AND");
    return { is: "between", operand, from, to: operandOf(tokens) };
  }
  if (tokens.takes("IN")) return { is: "in", operand, among: operandsOf(tokens) };
  const sign = tokens.next();
  const is = comparators.find((one) => one === sign);
  if (!is) throw tokens.fail(`Syntax error; token: "${sign}"`);
  return { is, left: operand, right: operandOf(tokens) };
}

function operandsOf(tokens: Tokens): Operand[] {
  tokens.expect("(");
  const operands = [operandOf(tokens)];
  while (tokens.takes(",")) operands.push(operandOf(tokens));
  tokens.expect(")");
  return operands;
}

function operandOf(tokens: Tokens): Operand {
  if (tokens.peek() === "size" && tokens.peek(1) === "(") {
    tokens.next();
    tokens.expect("(");
    const size = operandOf(tokens);
    tokens.expect(")");
    return { size };
  }
  return tokens.peek().startsWith(":") ? tokens.value() : tokens.path();
}

/** Whether an item satisfies a condition. An empty item stands for a missing one. */
export function holds(node: ConditionNode, item: Item, bindings: Bindings): boolean {
  const read = (operand: Operand | undefined) => operand && valueOf(operand, item, bindings);
  switch (node.is) {
    case "and":
      return holds(node.left, item, bindings) && holds(node.right, item, bindings);
    case "or":
      return holds(node.left, item, bindings) || holds(node.right, item, bindings);
    case "not":
      return !holds(node.of, item, bindings);
    case "between":
      return isOrdered(read(node.from), "<=", read(node.operand)) && isOrdered(read(node.operand), "<=", read(node.to));
    case "in":
      return node.among.some((one) => isEqual(read(node.operand), read(one)));
    case "=":
      return isEqual(read(node.left), read(node.right));
    case "<>":
      return !isEqual(read(node.left), read(node.right));
    case "attribute_exists":
      return read(node.operands[0]) !== undefined;
    case "attribute_not_exists":
      return read(node.operands[0]) === undefined;
    case "attribute_type": {
      const value = read(node.operands[0]);
      return value !== undefined && typeOf(value) === read(node.operands[1])?.S;
    }
    case "begins_with":
      return begins(read(node.operands[0]), read(node.operands[1]));
    case "contains":
      return contains(read(node.operands[0]), read(node.operands[1]));
    case "<":
    case "<=":
    case ">":
    case ">=":
      return isOrdered(read(node.left), node.is, read(node.right));
    default:
      return node satisfies never;
  }
}

/** @throws TableFailure for operands that are invalid for every item */
export function assertSensible(node: ConditionNode, { values }: Bindings): void {
  const given = (operand: Operand | undefined) => (operand && "value" in operand ? values[operand.value] : undefined);
  if ("operands" in node) {
    const text = given(node.operands[1]);
    if (node.is === "begins_with" && text && text.S === undefined && text.B === undefined) throw badOperand(node.is);
  }
}

const badOperand = (operator: string) =>
  invalid(
    `Invalid ConditionExpression: Incorrect operand type for operator or function; operator or function: ${operator}`,
  );

function valueOf(operand: Operand, item: Item, bindings: Bindings): AttributeValue | undefined {
  if ("value" in operand) return bindings.values[operand.value];
  if ("path" in operand) return valueAt(item, resolved(operand, bindings));
  const value = valueOf(operand.size, item, bindings);
  if (!value) return undefined;
  const count = value.L?.length ?? (value.M && Object.keys(value.M).length) ?? membersOf(value)?.length;
  return { N: String(count ?? sizeOf(value)) };
}

const isEqual = (a: AttributeValue | undefined, b: AttributeValue | undefined): boolean =>
  a !== undefined && b !== undefined && equal(a, b);

function isOrdered(
  a: AttributeValue | undefined,
  sign: "<" | "<=" | ">" | ">=",
  b: AttributeValue | undefined,
): boolean {
  const order = a && b && compare(a, b);
  if (order === undefined) return false;
  if (order === 0) return sign.endsWith("=");
  return sign.startsWith(order < 0 ? "<" : ">");
}

function begins(value: AttributeValue | undefined, start: AttributeValue | undefined): boolean {
  if (value?.S !== undefined && start?.S !== undefined) return value.S.startsWith(start.S);
  if (value?.B === undefined || start?.B === undefined) return false;
  const [all, first] = [Buffer.from(value.B, "base64"), Buffer.from(start.B, "base64")];
  return all.subarray(0, first.length).equals(first);
}

function contains(value: AttributeValue | undefined, part: AttributeValue | undefined): boolean {
  if (!value || !part) return false;
  if (value.S !== undefined) return part.S !== undefined && value.S.includes(part.S);
  if (value.L) return value.L.some((one) => equal(one, part));
  const member = part.S ?? part.N ?? part.B;
  return member !== undefined && (membersOf(value)?.includes(member) ?? false);
}
