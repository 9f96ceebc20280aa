import type { AttributeValue } from "./attribute-value.ts";
import { invalid } from "./failure.ts";
import { reservedWords } from "./reserved-words.ts";

export type ExpressionKind =
  | "UpdateExpression"
  | "ConditionExpression"
  | "FilterExpression"
  | "KeyConditionExpression"
  | "ProjectionExpression";

/** A part of a document path: a name, a placeholder of a name, or a list index. */
export type PathPart = string | number;
export type PathNode = { readonly path: readonly PathPart[] };
export type ValueNode = { readonly value: string };

const token = /\s*(#[\w]+|:[\w]+|[A-Za-z_][\w]*|\d+|<>|<=|>=|[()=<>,+\-.[\]])/y;

/** Tokenizes an expression, and records the placeholders that it uses. */
export class Tokens {
  readonly kind: ExpressionKind;
  readonly used = new Set<string>();
  readonly #tokens: string[] = [];
  #at = 0;

  constructor(kind: ExpressionKind, text: string) {
    this.kind = kind;
    token.lastIndex = 0;
    let end = 0;
    for (let found = token.exec(text); found; found = token.exec(text)) {
      this.#tokens.push(found[1] ?? "");
      end = token.lastIndex;
    }
    if (text.slice(end).trim() !== "" || this.#tokens.length === 0) throw this.#syntaxError(text.slice(end).trim());
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#tokens.length;
  }

  peek(ahead = 0): string {
    return this.#tokens[this.#at + ahead] ?? "";
  }

  /** Whether the next token is the given keyword or symbol. */
  is(word: string): boolean {
    return this.peek().toUpperCase() === word;
  }

  /** Consumes the next token if it is the given keyword or symbol. */
  takes(word: string): boolean {
    const isNext = this.is(word);
    if (isNext) this.#at++;
    return isNext;
  }

  expect(word: string): void {
    if (!this.takes(word)) throw this.#syntaxError(this.peek());
  }

  next(): string {
    if (this.isAtEnd) throw this.#syntaxError("<EOF>");
    return this.#tokens[this.#at++] ?? "";
  }

  end(): void {
    if (!this.isAtEnd) throw this.#syntaxError(this.peek());
  }

  path(): PathNode {
    const path: PathPart[] = [this.#name()];
    for (;;) {
      if (this.takes(".")) path.push(this.#name());
      else if (this.takes("[")) {
        const index = this.next();
        if (!/^\d+$/.test(index)) throw this.#syntaxError(index);
        path.push(Number(index));
        this.expect("]");
      } else return { path };
    }
  }

  value(): ValueNode {
    const value = this.next();
    if (!value.startsWith(":")) throw this.#syntaxError(value);
    this.used.add(value);
    return { value };
  }

  fail(reason: string): Error {
    return invalid(`Invalid ${this.kind}: ${reason}`);
  }

  #name(): string {
    const name = this.next();
    if (!/^[#A-Za-z_]/.test(name)) throw this.#syntaxError(name);
    if (name.startsWith("#")) this.used.add(name);
    else if (reservedWords.has(name.toLowerCase()))
      throw this.fail(`Attribute name is a reserved keyword; reserved keyword: ${name}`);
    return name;
  }

  #syntaxError(near: string): Error {
    return this.fail(`Syntax error; token: "${near}", near: "${this.#tokens.slice(-3).join(" ")}"`);
  }
}

type Placeholders = {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly ExpressionAttributeValues?: Readonly<Record<string, AttributeValue>> | undefined;
};

/** Names and values of the placeholders in a request. */
export type Bindings = {
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, AttributeValue>>;
};

/** @throws TableFailure for placeholders that are used and undefined, or defined and unused */
export function bindingsOf(
  { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} }: Placeholders,
  expressions: readonly ({ readonly kind: ExpressionKind; readonly used: ReadonlySet<string> } | undefined)[],
): Bindings {
  for (const expression of expressions)
    for (const placeholder of expression?.used ?? []) {
      if (placeholder.startsWith("#") && names[placeholder] === undefined)
        throw invalid(
          `Invalid ${expression?.kind}: An expression attribute name used in the document path is not defined; attribute name: ${placeholder}`,
        );
      if (placeholder.startsWith(":") && values[placeholder] === undefined)
        throw invalid(
          `Invalid ${expression?.kind}: An expression attribute value used in expression is not defined; attribute value: ${placeholder}`,
        );
    }
  const unused = (given: object) =>
    Object.keys(given).filter((placeholder) => !expressions.some((expression) => expression?.used.has(placeholder)));
  const [unusedNames, unusedValues] = [unused(names), unused(values)];
  const complain = (what: string, those: string[]) =>
    invalid(`Value provided in ${what} unused in expressions: keys: {${those.join(", ")}}`);
  if (unusedNames.length > 0) throw complain("ExpressionAttributeNames", unusedNames);
  if (unusedValues.length > 0) throw complain("ExpressionAttributeValues", unusedValues);
  return { names, values };
}

/** Caches the parsed form of each text, because the code under test sends few different expressions. */
export function remembering<T>(make: (text: string) => T): (text: string) => T {
  const made = new Map<string, T>();
  return (text) => {
    const known = made.get(text) ?? make(text);
    made.set(text, known);
    return known;
  };
}
