import { startStripe } from "stripe-stand-in/server";

/** The stand-in in a process of its own, so that what it does is not counted as ours. It ends with whoever began it. */
const { url } = await startStripe();
console.log(url);
process.stdin.resume().on("end", () => process.exit());
