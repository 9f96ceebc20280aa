/** How long tests wait for a table engine, in milliseconds: it shares a small machine with them, and time is not the point. */
export const patience = { connectionTimeout: 10_000, requestTimeout: 20_000 };
