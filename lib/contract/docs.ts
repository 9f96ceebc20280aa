import type { Route } from "./route.ts";

export const openapi = {
  method: "GET",
  path: "/openapi.json",
  summary: "Get this API as an OpenAPI 3.1 document",
  access: "public",
  serves: "application/json",
} as const satisfies Route;

export const reference = {
  method: "GET",
  path: "/docs",
  summary: "Show the API reference, where calls can be tried",
  access: "public",
  serves: "text/html",
} as const satisfies Route;

export const script = {
  method: "GET",
  path: "/docs/reference.js",
  summary: "Get the script of the reference page",
  access: "public",
  serves: "text/javascript",
} as const satisfies Route;

export const problems = {
  method: "GET",
  path: "/docs/problems",
  summary: "Show the problems page: what each error means and how to handle it",
  access: "public",
  serves: "text/html",
} as const satisfies Route;
