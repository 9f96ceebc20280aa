/** The views of people who are signed in. */
export { Account } from "./account.tsx";
export { Plan } from "./plan.tsx";
