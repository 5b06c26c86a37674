// Offers of the operator's price list. The first offer of a name is the cheapest.

/** Selects the offers of a name. */
export const offerFields =
  'offers { seller register { amount currency } renew { amount currency } url }';

/** Returns a price as people write it, such as `$9.99`. */
export function priceText({ amount, currency }) {
  const format = { style: 'currency', currency, maximumFractionDigits: 4 };
  return new Intl.NumberFormat('en', format).format(amount);
}

/** Points a link to the first offer, or hides it. */
export function setOfferLink(link, [offer] = []) {
  link.hidden = !offer;
  if (!offer) return;
  const { seller, register, renew, url } = offer;
  link.href = url;
  link.textContent = `Register at ${seller}: ${priceText(register)}, then ${priceText(renew)} a year`;
}
