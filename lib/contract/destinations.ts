import { Nothing } from "../domain/cancellation.ts";
import { Delivery, DeliveryPage, DeliveryQuery } from "../domain/delivery.ts";
import {
  Destination,
  DestinationCreate,
  DestinationListQuery,
  DestinationPage,
  DestinationUpdate,
  DestinationWithSecret,
  SecretRotation,
} from "../domain/destination.ts";
import { Resend, ResendRequest } from "../domain/resend.ts";
import { Outcome } from "../fields/delivery.ts";
import type { Route } from "./route.ts";

export const list = {
  method: "GET",
  path: "/odis/v1/communities/{community_id}/event_destinations",
  access: "owner",
  query: DestinationListQuery,
  output: DestinationPage,
  table: "read",
} as const satisfies Route;

export const create = {
  method: "POST",
  path: "/odis/v1/communities/{community_id}/event_destinations",
  access: "owner",
  body: DestinationCreate,
  status: 201,
  output: DestinationWithSecret,
  location: "/odis/v1/event_destinations/{id}",
  etag: true,
  problems: ["limit_reached"],
  table: "write",
  seals: true,
} as const satisfies Route;

export const show = {
  method: "GET",
  path: "/odis/v1/event_destinations/{id}",
  access: "owner",
  output: Destination,
  etag: true,
  table: "read",
} as const satisfies Route;

export const update = {
  method: "PATCH",
  path: "/odis/v1/event_destinations/{id}",
  access: "owner",
  body: DestinationUpdate,
  output: Destination,
  etag: true,
  table: "write",
} as const satisfies Route;

export const remove = {
  method: "DELETE",
  path: "/odis/v1/event_destinations/{id}",
  access: "owner",
  status: 204,
  record: Destination,
  table: "write",
} as const satisfies Route;

export const rotateSecret = {
  method: "POST",
  path: "/odis/v1/event_destinations/{id}/rotate_secret",
  access: "owner",
  body: SecretRotation,
  output: DestinationWithSecret,
  etag: true,
  table: "write",
  seals: true,
} as const satisfies Route;

export const ping = {
  method: "POST",
  path: "/odis/v1/event_destinations/{id}/ping",
  access: "owner",
  body: Nothing,
  output: Outcome,
  record: Destination,
  table: "write",
  seals: true,
  limited: "deliveries",
} as const satisfies Route;

export const deliveries = {
  method: "GET",
  path: "/odis/v1/event_destinations/{id}/deliveries",
  access: "owner",
  right: "deliveries_read",
  query: DeliveryQuery,
  output: DeliveryPage,
  cursor: true,
  table: "read",
} as const satisfies Route;

export const resend = {
  method: "POST",
  path: "/odis/v1/event_destinations/{id}/deliveries/{delivery_id}/resend",
  access: "owner",
  body: Nothing,
  status: 202,
  output: Delivery,
  record: Destination,
  limited: "deliveries",
  problems: ["destination_disabled"],
  table: "write",
  queues: true,
} as const satisfies Route;

export const resendMany = {
  method: "POST",
  path: "/odis/v1/event_destinations/{id}/resend",
  access: "owner",
  body: ResendRequest,
  status: 202,
  output: Resend,
  record: Destination,
  limited: "deliveries",
  problems: ["destination_disabled"],
  table: "write",
  queues: true,
} as const satisfies Route;

/** The texts of each route in the API reference. */
export const docs = {
  list: "List the event destinations of a community",
  create: [
    "Create an event destination",
    "Events of the community are posted to the URL as signed webhooks (Standard Webhooks 1.0). Store the `secret`: later responses do not show it. A community has at most ten destinations.",
  ],
  show: "Show an event destination",
  update: [
    "Edit, enable or disable an event destination",
    "While a destination is disabled, events are not stored for it. After enabling it, read the records again through the API.",
  ],
  remove: ["Delete an event destination", "Pending deliveries are not attempted again."],
  rotateSecret: [
    "Replace the secret of an event destination",
    "Deliveries are signed with both secrets for the next `overlap_hours`, so that a receiver can switch to the new one at any time in between. A second rotation in that time invalidates the oldest secret immediately.",
  ],
  ping: [
    "Send a ping to an event destination",
    "Sends an event of type `ping` immediately, even to a disabled destination, waits at most 5 seconds for the response, and returns the outcome. While two pings of a community wait, further ones get 429.",
  ],
  deliveries: ["List the deliveries to an event destination, newest first", "Deliveries are kept for 30 days."],
  resend: [
    "Resend an event to its destination",
    "Queues one attempt, which is made within seconds, and returns the delivery as it was before. A destination that was disabled since the request gets nothing.",
  ],
  resendMany: [
    "Resend a list of events, or those of a time span, to a destination",
    "Takes either `delivery_ids`, or `since` with or without `until` and `status`. One attempt is queued for each delivery. The events of a time span are sent oldest first, up to 20 at once, until the destination is disabled. One time span at a time is resent to a destination: further ones get 429.",
  ],
} as const;
