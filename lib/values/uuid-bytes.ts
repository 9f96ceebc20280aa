import * as v from "valibot";

/** A UUID as its 16 bytes, less than half of its text. */
export const bytesOf = (uuid: string): Uint8Array => Buffer.from(uuid.replaceAll("-", ""), "hex");

/** Reads what `bytesOf` has made. */
export const UuidBytes = v.pipe(
  v.instance(Uint8Array),
  v.transform((bytes) =>
    Buffer.from(bytes)
      .toString("hex")
      .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5"),
  ),
);
