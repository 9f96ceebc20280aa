import { activity } from "#lib/contract/members.ts";
import { activityFields } from "#lib/fields/activity.ts";
import { erasedRecord } from "#lib/fields/field.ts";
import { memberInPath } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { listOfMember } from "#lib/store/activity.ts";

export const handler = endpoint(
  activity,
  { guard: memberInPath, read: ({ params, query, table }) => listOfMember(table, params.id, query) },
  ({ read, record }) =>
    record.erased_at ? { ...read, data: read.data.map((entry) => erasedRecord(activityFields, entry)) } : read,
);
