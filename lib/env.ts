/** A required environment variable. A missing one is a deployment mistake, so it throws. */
export function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`Missing environment variable ${name}`);
  return value;
}

/** What an environment variable lists, divided by commas; nothing where it is empty or missing. */
export const listed = (name: string): string[] => (process.env[name] ?? "").split(",").filter((one) => one !== "");
