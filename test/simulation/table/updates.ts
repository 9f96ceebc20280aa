import { type AttributeValue, type Item, membersOf, stored, typeOf } from "./attribute-value.ts";
import { add, negated } from "./decimal.ts";
import { invalid, invalidParameter } from "./failure.ts";
import { compacted, resolved, valueAt, withValue } from "./paths.ts";
import { type Bindings, type PathNode, type PathPart, remembering, Tokens, type ValueNode } from "./tokens.ts";

type Term =
  | PathNode
  | ValueNode
  | { readonly call: "if_not_exists" | "list_append"; readonly of: readonly [Term, Term] }
  | { readonly sign: "+" | "-"; readonly left: Term; readonly right: Term };

type Clause = "SET" | "REMOVE" | "ADD" | "DELETE";
type Action = { readonly clause: Clause; readonly at: PathNode; readonly term?: Term };

export type Update = {
  readonly kind: "UpdateExpression";
  readonly used: ReadonlySet<string>;
  readonly actions: readonly Action[];
};

const clauses = ["SET", "REMOVE", "ADD", "DELETE"] as const;

export const parseUpdate = remembering((text): Update => {
  const tokens = new Tokens("UpdateExpression", text);
  const actions: Action[] = [];
  while (!tokens.isAtEnd) {
    const clause = clauses.find((one) => tokens.takes(one));
    if (!clause) throw tokens.fail(`Syntax error; token: "${tokens.peek()}"`);
    do actions.push(actionOf(tokens, clause));
    while (tokens.takes(","));
  }
  return { kind: "UpdateExpression", used: tokens.used, actions };
});

function actionOf(tokens: Tokens, clause: Clause): Action {
  const at = tokens.path();
  if (clause === "REMOVE") return { clause, at };
  if (clause !== "SET") return { clause, at, term: tokens.value() };
  tokens.expect("=");
  const left = termOf(tokens);
  const sign = (["+", "-"] as const).find((one) => tokens.takes(one));
  return { clause, at, term: sign ? { sign, left, right: termOf(tokens) } : left };
}

function termOf(tokens: Tokens): Term {
  const call = (["if_not_exists", "list_append"] as const).find((one) => one === tokens.peek());
  if (!call) return tokens.peek().startsWith(":") ? tokens.value() : tokens.path();
  tokens.next();
  tokens.expect("(");
  const first = termOf(tokens);
  tokens.expect(",");
  const second = termOf(tokens);
  tokens.expect(")");
  return { call, of: [first, second] };
}

/** @throws TableFailure if two paths overlap, or if a path is that of a key */
export function assertUpdatable({ actions }: Update, bindings: Bindings, keyNames: readonly string[]): void {
  const paths = actions.map(({ at }) => resolved(at, bindings));
  for (const [name] of paths)
    if (keyNames.includes(String(name)))
      throw invalidParameter(`Cannot update attribute ${name}. This attribute is part of the key`);
  for (const [n, path] of paths.entries())
    for (const other of paths.slice(n + 1))
      if (path.every((part, at) => other[at] === part || at >= other.length))
        throw invalid(
          "Invalid UpdateExpression: Two document paths overlap with each other; must remove or rewrite one of these paths",
        );
}

/**
 * Returns the item after an update, and the updated attributes. All operands are read from the item before the update.
 */
export function updated(update: Update, before: Item, bindings: Bindings): Item {
  const order: Record<Clause, number> = { SET: 0, ADD: 1, DELETE: 1, REMOVE: 2 };
  const actions = update.actions.toSorted((a, b) => order[a.clause] - order[b.clause]);
  let after: AttributeValue = { M: before };
  for (const { clause, at, term } of actions) {
    const path = resolved(at, bindings);
    after = withValue(after, path, term && valueFor(clause, term, path));
  }
  return compacted(after).M ?? {};

  function valueFor(clause: Clause, term: Term, path: readonly PathPart[]): AttributeValue | undefined {
    const given = evaluate(term);
    if (clause === "SET") return stored(given);
    const current = valueAt(before, path);
    return clause === "ADD" ? sumOf(current, stored(given)) : without(current, given);
  }

  function evaluate(term: Term): AttributeValue {
    if ("value" in term) return bindings.values[term.value] ?? { NULL: true };
    if ("path" in term) {
      const value = valueAt(before, resolved(term, bindings));
      if (value) return value;
      throw invalid("The provided expression refers to an attribute that does not exist in the item");
    }
    if ("sign" in term) return arithmetic(term.sign, evaluate(term.left), evaluate(term.right));
    const [first, second] = term.of;
    if (term.call === "if_not_exists") {
      const known = "path" in first ? valueAt(before, resolved(first, bindings)) : undefined;
      return known ?? evaluate(second);
    }
    const [head, tail] = [evaluate(first), evaluate(second)];
    if (!head.L || !tail.L) throw wrongType();
    return { L: [...head.L, ...tail.L] };
  }
}

const wrongType = () => invalid("An operand in the update expression has an incorrect data type");

function arithmetic(sign: "+" | "-", left: AttributeValue, right: AttributeValue): AttributeValue {
  if (left.N === undefined || right.N === undefined) throw wrongType();
  return { N: add(left.N, sign === "+" ? right.N : negated(right.N)) };
}

function sumOf(current: AttributeValue | undefined, given: AttributeValue): AttributeValue {
  const members = membersOf(given);
  if (!current) {
    if (given.N === undefined && !members) throw wrongType();
    return given;
  }
  if (typeOf(current) !== typeOf(given)) throw wrongType();
  if (members) return { [typeOf(given)]: [...new Set([...(membersOf(current) ?? []), ...members])] };
  return arithmetic("+", current, given);
}

function without(current: AttributeValue | undefined, given: AttributeValue): AttributeValue | undefined {
  const gone = membersOf(given);
  if (!gone || (current && typeOf(current) !== typeOf(given))) throw wrongType();
  const left = (current && membersOf(current))?.filter((member) => !gone.includes(member)) ?? [];
  return left.length > 0 ? { [typeOf(given)]: left } : undefined;
}

/** The top-level attributes of an item that an update names. */
export function touched({ actions }: Update, item: Item, bindings: Bindings): PathPart[][] {
  return actions.map(({ at }) => resolved(at, bindings)).filter((path) => valueAt(item, path) !== undefined);
}
