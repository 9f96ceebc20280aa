/** The views of people who have an account. */
export { Account } from "./account.tsx";
export { Confirm } from "./confirm.tsx";
export { Forgotten } from "./forgotten.tsx";
export { Plan } from "./plan.tsx";
