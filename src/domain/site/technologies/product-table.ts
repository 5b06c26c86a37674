import { technologyCategories, type TechnologyCategory } from '../technology.ts';
import { analyticsProducts } from './products/analytics.ts';
import { cdnProducts } from './products/cdn.ts';
import { cmsProducts } from './products/cms.ts';
import { ecommerceProducts } from './products/ecommerce.ts';
import { frameworkProducts } from './products/framework.ts';
import { hostingProducts } from './products/hosting.ts';
import { javascriptLibraryProducts } from './products/javascript-library.ts';
import { marketingProducts } from './products/marketing.ts';
import { paymentProducts } from './products/payment.ts';
import { programmingLanguageProducts } from './products/programming-language.ts';
import { securityProducts } from './products/security.ts';
import { serverProducts } from './products/server.ts';
import { siteBuilderProducts } from './products/site-builder.ts';
import { supportProducts } from './products/support.ts';
import { tagManagerProducts } from './products/tag-manager.ts';
import { videoProducts } from './products/video.ts';
import type { Product } from './technology-rule.ts';

export interface CategorizedProduct extends Product {
  readonly category: TechnologyCategory;
}

const productsByCategory: Readonly<Record<TechnologyCategory, readonly Product[]>> = {
  analytics: analyticsProducts,
  cdn: cdnProducts,
  cms: cmsProducts,
  ecommerce: ecommerceProducts,
  framework: frameworkProducts,
  hosting: hostingProducts,
  javascript_library: javascriptLibraryProducts,
  marketing: marketingProducts,
  payment: paymentProducts,
  programming_language: programmingLanguageProducts,
  security: securityProducts,
  server: serverProducts,
  site_builder: siteBuilderProducts,
  support: supportProducts,
  tag_manager: tagManagerProducts,
  video: videoProducts,
};

/** The products that are recognized, from what their vendors document. */
export const products: readonly CategorizedProduct[] = technologyCategories.flatMap((category) =>
  productsByCategory[category].map((product) => ({ ...product, category })),
);

export const productById: ReadonlyMap<string, CategorizedProduct> = new Map(
  products.map((product) => [product.id, product]),
);
