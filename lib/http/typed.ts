/** Gives values whose types were checked at run time the static types of the route. The only cast of the pipeline. */
export const typed = <T extends object>(checked: { readonly [Name in keyof T]: unknown }): T => checked as T;
