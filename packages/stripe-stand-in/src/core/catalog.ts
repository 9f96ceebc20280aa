import type Stripe from "stripe";
import * as v from "valibot";
import type { Account } from "./account.ts";
import * as events from "./events.ts";
import { invalid, notModelled } from "./failure.ts";
import { find, named } from "./lookup.ts";
import { type Interval, priceObject, productObject } from "./objects/catalog.ts";
import { idOf } from "./objects/common.ts";
import { currencyCode, flag, integer, merged, metadata, text } from "./parameters.ts";

/** The longest interval of a price is three years. */
const longest = { day: 1_095, week: 156, month: 36, year: 3 } as const;

const Recurring = v.pipe(
  v.strictObject({
    interval: v.picklist(["day", "week", "month", "year"]),
    interval_count: v.optional(integer({ min: 1 }), 1),
  }),
  v.check(
    ({ interval, interval_count: count }) => count <= longest[interval],
    ({ input }) =>
      `Invalid interval_count: ${input.interval_count}. The maximum for the interval ${input.interval} is ${longest[input.interval]}.`,
  ),
);
const amount = { currency: currencyCode, unit_amount: integer({ min: 0 }), recurring: v.optional(Recurring) };

export const ProductCreate = v.strictObject({
  id: v.optional(text),
  name: text,
  active: v.optional(flag),
  description: v.optional(text),
  metadata: v.optional(metadata),
  default_price_data: v.optional(v.strictObject({ ...amount, metadata: v.optional(metadata) })),
});
export const ProductUpdate = v.strictObject({
  name: v.optional(text),
  active: v.optional(flag),
  description: v.optional(v.string()),
  metadata: v.optional(metadata),
  default_price: v.optional(text),
});
export const PriceCreate = v.strictObject({
  ...amount,
  product: v.optional(text),
  product_data: v.optional(v.strictObject({ name: text, metadata: v.optional(metadata) })),
  active: v.optional(flag),
  nickname: v.optional(text),
  lookup_key: v.optional(text),
  metadata: v.optional(metadata),
});
export const PriceUpdate = v.strictObject({
  active: v.optional(flag),
  nickname: v.optional(text),
  metadata: v.optional(metadata),
});

/** The parsed parameters. */
type Input<S extends v.GenericSchema> = v.InferOutput<S>;

export function createProduct(account: Account, params: Input<typeof ProductCreate>): Stripe.Product {
  const { default_price_data: defaultPrice, metadata: labels, ...rest } = params;
  if (rest.id !== undefined && account.get("product", rest.id))
    throw invalid("Product already exists.", { code: "resource_already_exists", param: "id" });
  const product = productObject({
    ...rest,
    id: rest.id ?? account.newId("prod"),
    created: account.now(),
    metadata: merged(null, labels),
  });
  account.put("product", product);
  const price = defaultPrice && addPrice(account, { ...defaultPrice, product: product.id });
  const created = { ...product, default_price: price?.id ?? null };
  events.create(account, "product", created, "product.created");
  return created;
}

export function updateProduct(account: Account, id: string, params: Input<typeof ProductUpdate>): Stripe.Product {
  const product = find(account, "product", id);
  const { default_price: price, metadata: labels, description, ...rest } = params;
  if (price !== undefined && named(account, "price", price, "default_price").product !== id)
    throw invalid(`The price '${price}' does not belong to the product '${id}'.`, { param: "default_price" });
  const updated: Stripe.Product = {
    ...product,
    ...rest,
    ...(description !== undefined && { description: description || null }),
    ...(price !== undefined && { default_price: price }),
    metadata: merged(product.metadata, labels),
    updated: account.now(),
  };
  events.replace(account, "product", updated, "product.updated");
  return updated;
}

export function createPrice(account: Account, params: Input<typeof PriceCreate>): Stripe.Price {
  const { product, product_data: newProduct, ...rest } = params;
  if ((product === undefined) === (newProduct === undefined))
    throw invalid("You must specify either `product` or `product_data` when creating a price.");
  const owner = newProduct ? createProduct(account, newProduct) : named(account, "product", product ?? "", "product");
  return addPrice(account, { ...rest, product: owner.id });
}

type NewPrice = Omit<Input<typeof PriceCreate>, "product" | "product_data"> & { readonly product: string };

function addPrice(account: Account, { metadata: labels, ...params }: NewPrice): Stripe.Price {
  const { lookup_key: key } = params;
  const taken = key !== undefined && [...account.rows("price")].find(({ lookup_key }) => lookup_key === key);
  if (taken) throw invalid(`A price (\`${taken.id}\`) already uses that lookup key.`, { param: "lookup_key" });
  const price = priceObject({
    ...params,
    id: account.newId("price"),
    created: account.now(),
    metadata: merged(null, labels),
  });
  events.create(account, "price", price, "price.created");
  return price;
}

export function updatePrice(account: Account, id: string, params: Input<typeof PriceUpdate>): Stripe.Price {
  const price = find(account, "price", id);
  const { metadata: labels, ...rest } = params;
  const updated = { ...price, ...rest, metadata: merged(price.metadata, labels) };
  events.replace(account, "price", updated, "price.updated");
  return updated;
}

/**
 * @param kept id of a price that may be inactive
 * @throws ApiFailure if the price is unknown, inactive, of an inactive product or not recurring
 */
export function recurringPrice(
  account: Account,
  id: string,
  param: string,
  kept?: string,
): { price: Stripe.Price; interval: Interval } {
  const price = named(account, "price", id, param);
  const isCheckout = param.startsWith("line_items");
  if (!price.active && id !== kept)
    throw invalid("The price specified is inactive. This field only accepts active prices.", { param });
  const product = account.get("product", idOf(price.product));
  if (product?.active === false && id !== kept) {
    const words = isCheckout
      ? `Price \`${id}\` is not available to be purchased because its product is not active.`
      : `The product ${product.id} is marked as inactive, and thus no new subscriptions can be created to any plans of this product. You provided the plan ${id}.`;
    throw invalid(words, { param });
  }
  if (!price.recurring) {
    const words =
      "The price specified is set to `type=one_time` but this field only accepts prices with `type=recurring`.";
    throw invalid(words, { param });
  }
  if (price.unit_amount === null) throw notModelled("prices without a unit amount", param);
  return { price, interval: price.recurring };
}

export const itemParams = { price: text, quantity: v.optional(integer({ min: 1 })) };
export const Items = v.array(v.strictObject(itemParams));

/**
 * @param kept id of a price that may be inactive
 * @throws ApiFailure if the items of a parameter are not one item with a recurring price
 */
export function onlyItem(account: Account, [item, ...more]: Input<typeof Items>, param: string, kept?: string) {
  if (!item) throw invalid(`Missing required param: ${param}.`, { code: "parameter_missing", param });
  if (more.length > 0) throw notModelled("subscriptions of several items", param);
  return { ...recurringPrice(account, item.price, `${param}[0][price]`, kept), quantity: item.quantity ?? 1 };
}
