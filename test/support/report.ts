import { writeSync } from "node:fs";

/** Prints a text even if its test passes, such as a measurement or a skipped test. */
export const report = (text: string): void => void writeSync(1, `${text}\n`);
