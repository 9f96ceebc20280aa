import { startStripe } from "stripe-stand-in/server";

/** Runs the stand-in for Stripe in its own process, so that it is not measured. It ends with its parent. */
const { url } = await startStripe();
console.log(url);
process.stdin.resume().on("end", () => process.exit());
