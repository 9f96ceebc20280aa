import * as v from "valibot";

/** The 16 bytes of a UUID, which take less than half the space of its text. */
export const bytesOf = (uuid: string): Uint8Array => Buffer.from(uuid.replaceAll("-", ""), "hex");

/** Parses the result of `bytesOf`. */
export const UuidBytes = v.pipe(
  v.instance(Uint8Array),
  v.transform((bytes) =>
    Buffer.from(bytes)
      .toString("hex")
      .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5"),
  ),
);
