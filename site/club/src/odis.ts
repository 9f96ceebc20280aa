/** The API's client, from the sources of the package `@odis/client`. */
export * from "../../../client/odis.ts";
