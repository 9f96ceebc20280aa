/** The files of a bundle, by when a browser loads them. */
type Loads = {
  /** The entry points and their static imports. */
  readonly first: ReadonlySet<string>;
  /** Files that are only imported dynamically. */
  readonly onDemand: ReadonlySet<string>;
};

const namesIn = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name = ""]) => name);
const staticImports = /(?:\bfrom|\bimport)\s*"\.\/([^"]+)"/g;
const dynamicImports = /\bimport\(\s*"\.\/([^"]+)"\s*\)/g;

/**
 * Splits the files of a bundle into those that a browser loads first and those that it loads on demand.
 *
 * @param files contents by file name
 * @throws Error if a file imports one that is missing
 */
export function loadsOf(files: ReadonlyMap<string, string>, entries: readonly string[]): Loads {
  const textOf = (name: string): string => {
    const text = files.get(name);
    if (text === undefined) throw new Error(`There is no file ${name}`);
    return text;
  };
  const reached = (from: readonly string[], patterns: readonly RegExp[]): ReadonlySet<string> => {
    const names = new Set(from);
    // The iteration includes elements that are added during it.
    for (const name of names)
      for (const pattern of patterns) for (const imported of namesIn(textOf(name), pattern)) names.add(imported);
    return names;
  };
  const first = reached(entries, [staticImports]);
  const reachable = reached(entries, [staticImports, dynamicImports]);
  return { first, onDemand: new Set([...reachable].filter((name) => !first.has(name))) };
}
