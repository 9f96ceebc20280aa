/** A field of a member that a column of a file can have. */
export type ImportField = {
  readonly label: string;
  /** Headers of such a column in other systems, without capitals, spaces and punctuation. */
  readonly headers: string;
  readonly hint?: string;
  readonly isForAdmins?: boolean;
};

export const importFields = {
  email: { label: "Email", headers: "email emailaddress useremail mail memberemail" },
  name: { label: "Full name", headers: "name fullname membername displayname customername" },
  first_name: { label: "First name", headers: "firstname userfirstname givenname forename" },
  last_name: { label: "Last name", headers: "lastname userlastname surname familyname" },
  username: { label: "Username", headers: "username userusername handle" },
  tier: {
    label: "Tier",
    headers: "tier tiername membershiptiername membershiptier plan planname level membership subscriptionplan tierid",
  },
  status: { label: "Status", headers: "status patronstatus memberstatus subscriptionstatus membershipstatus" },
  joined: {
    label: "Joined",
    headers:
      "joined joinedat createdat created membersince startdate patronagesincedate signupdate datejoined joindate since",
  },
  from: { label: "Paid from", headers: "currentperiodstart periodstart paidfrom lastpayment lastchargedate" },
  until: {
    label: "Paid until",
    headers: "currentperiodend periodend paiduntil validuntil nextpayment nextchargedate renews renewsat renewaldate",
  },
  ends: {
    label: "Ends on",
    headers: "cancelat endson enddate expires expiresat expirationdate accessexpiration",
    hint: "In the past: the membership has ended. In the future: it ends then.",
  },
  ended: {
    label: "Ended on",
    headers: "endedat endedon",
    hint: "If a row also has a day in “Ends on”, the earlier day counts.",
  },
  spent_dollars: {
    label: "Paid so far, in dollars",
    headers: "lifetimeamount lifetimespend totalpaid totalspent totalspend amountpaid paid",
  },
  spent_cents: { label: "Paid so far, in cents", headers: "lifetimespendcents" },
  address_name: { label: "Recipient", headers: "addressee recipient recipientname shippingaddressname shippingname" },
  line1: {
    label: "Street",
    headers: "street address address1 addressline1 line1 shippingaddressline1 shippingaddress1 streetaddress",
    hint: "An address without a street is left out.",
  },
  line2: { label: "Street, second line", headers: "address2 addressline2 line2 shippingaddressline2" },
  city: { label: "City", headers: "city town shippingaddresscity shippingcity" },
  state: { label: "State", headers: "state province region county shippingaddressstate shippingstate" },
  postal_code: {
    label: "Postal code",
    headers: "postalcode postcode zip zipcode shippingaddresspostalcode shippingzip",
  },
  country: { label: "Country", headers: "country countrycode shippingaddresscountry shippingcountry" },
  phone: { label: "Phone", headers: "phone phonenumber telephone mobile shippingaddressphone shippingphone" },
  notes: { label: "Notes", headers: "notes note comment comments remarks additionaldetails" },
  stripe_customer_id: { label: "Stripe customer", headers: "stripecustomerid customerid stripeid", isForAdmins: true },
  stripe_subscription_id: {
    label: "Stripe subscription",
    headers: "stripesubscriptionid subscriptionid",
    isForAdmins: true,
  },
  custom: { label: "Custom data", headers: "", hint: "It is kept with the member under the name of the column." },
} as const satisfies Readonly<Record<string, ImportField>>;

export type FieldName = keyof typeof importFields;

/** The field of each column of a file. Empty for a column that is not imported. */
export type Mapping = readonly (FieldName | "")[];

/** The fields that a person may import. The API refuses Stripe ids from anyone but admins. */
export const fieldNames = (isAdmin: boolean): readonly FieldName[] =>
  (Object.keys(importFields) as FieldName[]).filter((name) => isAdmin || !isForAdmins(name));

const isForAdmins = (name: FieldName): boolean => (importFields[name] as ImportField).isForAdmins ?? false;

const plain = (header: string): string => header.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");

/** Recognizes columns by their headers. A field has the first column that fits. */
export function recognize(headers: readonly string[], isAdmin: boolean): Mapping {
  const known = new Map(
    fieldNames(isAdmin).flatMap((name) =>
      importFields[name].headers.split(" ").map((header) => [header, name] as const),
    ),
  );
  return headers.reduce<Mapping>((mapping, header) => {
    const name = header === "" ? undefined : known.get(plain(header));
    return [...mapping, name === undefined || mapping.includes(name) ? "" : name];
  }, []);
}

/** Whether another column has the same name. Only one of them is recognized. */
export const isRepeated = (headers: readonly string[], column: number): boolean => {
  const name = plain(headers[column] ?? "");
  return name !== "" && headers.some((header, n) => n !== column && plain(header) === name);
};

/** A mapping with another field for a column. Only custom data can be in several columns. */
export const remap = (mapping: Mapping, column: number, name: FieldName | ""): Mapping =>
  mapping.map((other, n) => {
    if (n === column) return name;
    return other === name && name !== "custom" ? "" : other;
  });
