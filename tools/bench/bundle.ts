/** The files of a bundle by what makes a browser load them. */
type Loads = {
  /** The entry points, and what they import statically. */
  readonly first: ReadonlySet<string>;
  /** What is imported only when it is needed. */
  readonly onDemand: ReadonlySet<string>;
};

const namesIn = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name = ""]) => name);
const staticImports = /(?:\bfrom|\bimport)\s*"\.\/([^"]+)"/g;
const dynamicImports = /\bimport\(\s*"\.\/([^"]+)"\s*\)/g;

/**
 * Which files a browser loads first, and which only when they are needed.
 *
 * @param files texts by name
 * @throws Error if a file imports one that is not there
 */
export function loadsOf(files: ReadonlyMap<string, string>, entries: readonly string[]): Loads {
  const textOf = (name: string): string => {
    const text = files.get(name);
    if (text === undefined) throw new Error(`There is no file ${name}`);
    return text;
  };
  const reached = (from: readonly string[], patterns: readonly RegExp[]): ReadonlySet<string> => {
    const found = new Set(from);
    // A set that grows is iterated to its end.
    for (const name of found)
      for (const pattern of patterns) for (const imported of namesIn(textOf(name), pattern)) found.add(imported);
    return found;
  };
  const first = reached(entries, [staticImports]);
  const all = reached(entries, [staticImports, dynamicImports]);
  return { first, onDemand: new Set([...all].filter((name) => !first.has(name))) };
}
