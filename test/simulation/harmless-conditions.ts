/** Conditions of writes whose removal no history detects, by the name of their mutant, each with the reason. */
export const harmlessConditions: Readonly<Record<string, string>> = {};
