/** The officially assigned codes of ISO 3166-1 alpha-2, without separators. */
const assigned =
  "ADAEAFAGAIALAMAOAQARASATAUAWAXAZBABBBDBEBFBGBHBIBJBLBMBNBOBQBRBSBTBVBWBYBZCACCCDCFCGCHCICKCLCMCNCOCRCUCVCWCXCYCZ" +
  "DEDJDKDMDODZECEEEGEHERESETFIFJFKFMFOFRGAGBGDGEGFGGGHGIGLGMGNGPGQGRGSGTGUGWGYHKHMHNHRHTHUIDIEILIMINIOIQIRISIT" +
  "JEJMJOJPKEKGKHKIKMKNKPKRKWKYKZLALBLCLILKLRLSLTLULVLYMAMCMDMEMFMGMHMKMLMMMNMOMPMQMRMSMTMUMVMWMXMYMZ" +
  "NANCNENFNGNINLNONPNRNUNZOMPAPEPFPGPHPKPLPMPNPRPSPTPWPYQARERORSRURWSASBSCSDSESGSHSISJSKSLSMSNSOSRSSSTSVSXSYSZ" +
  "TCTDTFTGTHTJTKTLTMTNTOTRTTTVTWTZUAUGUMUSUYUZVAVCVEVGVIVNVUWFWSYEYTZAZMZW";

export const countries: ReadonlySet<string> = new Set(assigned.match(/../g));

/** Countries for which Stripe's checkout does not collect addresses. */
const uncollected = new Set("ASCXCCCUHMIRKPMHFMNFMPPWSDSYUMVI".match(/../g));

export const shippingCountries: readonly string[] = [...countries].filter((code) => !uncollected.has(code));

/** Whether this is an assigned country code, in upper case. */
export const isCountry = (code: string): boolean => countries.has(code);
