import table from './products.json' with { type: 'json' };
import { technologyCategories, type TechnologyCategory } from './technology.ts';
import type { Product } from './technology-rule.ts';

/** A product with its category. */
export interface CategorizedProduct extends Product {
  readonly category: TechnologyCategory;
}

/** The products that are recognized, from what their vendors document, in the order of categories. */
export const products: readonly CategorizedProduct[] = technologyCategories.flatMap((category) =>
  (table[category] as readonly Product[]).map((product) => ({ ...product, category })),
);

/** The products by `id`. */
export const productById: ReadonlyMap<string, CategorizedProduct> = new Map(
  products.map((product) => [product.id, product]),
);
