import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { stage } from "../env.ts";
import { unauthorized } from "../problem.ts";
import type { Runtime } from "../runtime.ts";
import type { ApiKeyCaller } from "./caller.ts";

/** The digits of base 62, in the order of ASCII. */
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** `odis_<stage>_<id>_<secret>_<checksum>` (`docs/security.md`, "API keys"). 43 digits of base 62 have 256 bits. */
const format = /^(odis_([a-z0-9-]+)_([0-9A-Za-z]{1,9})_[0-9A-Za-z]{43})_([0-9A-Za-z]{6})$/;

/** A new API key. The only place where its secret exists, apart from the response. */
export type NewApiKey = { readonly key: string; readonly secret_hash: string; readonly hint: string };

/** Draws the secret of a new key. */
export function newApiKey(id: number, { random }: Pick<Runtime, "random">): NewApiKey {
  const secret = Array.from({ length: 43 }, () => digits.charAt(Math.floor(random() * 62))).join("");
  const body = `odis_${stage()}_${base62(id)}_${secret}`;
  const key = `${body}_${checksumOf(body)}`;
  return { key, secret_hash: hashOf(key), hint: key.slice(-4) };
}

/** Whether a token is meant to be an API key. No token of the user pool has this prefix. */
export const isApiKey = (token: string): boolean => token.startsWith("odis_");

/**
 * The API key in a token, before it is compared with the stored hash. Detects typing errors and keys of other stages
 * without a read.
 *
 * @throws Problem `invalid_token`
 */
export function parseApiKey(token: string): ApiKeyCaller {
  const [, body = "", keyStage, idText = "", checksum] = format.exec(token) ?? [];
  const id = integerOf(idText);
  if (checksum !== checksumOf(body) || base62(id) !== idText)
    throw unauthorized("invalid_token", { detail: "The API key is incomplete or was altered" });
  if (keyStage !== stage())
    throw unauthorized("invalid_token", { detail: "The API key belongs to another stage of Odis" });
  const secretHash = hashOf(token);
  return { apiKeyId: id, secretHash, sub: `api_key ${secretHash}` };
}

/** The hash under which a key is stored. A fast hash suffices for 256 random bits. */
const hashOf = (key: string): string => hash("sha256", key, "base64url");

/** The CRC-32 of a text as six digits of base 62. */
const checksumOf = (text: string): string => base62(crc32(text)).padStart(6, "0");

function base62(value: number): string {
  const rest = Math.floor(value / 62);
  return (rest > 0 ? base62(rest) : "") + digits.charAt(value % 62);
}

const integerOf = (text: string): number =>
  Array.from(text).reduce((value, digit) => value * 62 + digits.indexOf(digit), 0);
