import type { Route } from "./route.ts";

export const openapi = {
  method: "GET",
  path: "/openapi.json",
  summary: "Get this interface as an OpenAPI 3.1 document",
  access: "public",
  serves: "application/json",
} as const satisfies Route;

export const reference = {
  method: "GET",
  path: "/docs",
  summary: "Read the reference, and try calls",
  access: "public",
  serves: "text/html",
} as const satisfies Route;

export const script = {
  method: "GET",
  path: "/docs/reference.js",
  summary: "Get the script of the reference",
  access: "public",
  serves: "text/javascript",
} as const satisfies Route;

export const problems = {
  method: "GET",
  path: "/docs/problems",
  summary: "Read what each problem means, and what to do",
  access: "public",
  serves: "text/html",
} as const satisfies Route;
