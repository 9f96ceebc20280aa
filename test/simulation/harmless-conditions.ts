/** Conditions of writes that no history needs, by the name of their mutant, each with the reason. */
export const harmlessConditions: Readonly<Record<string, string>> = {};
