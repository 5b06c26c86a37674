import { technologyCategories, type TechnologyCategory } from './technology.ts';
import { analyticsProducts } from './analytics.ts';
import { cdnProducts } from './cdn.ts';
import { cmsProducts } from './cms.ts';
import { consentProducts } from './consent.ts';
import { dnsProducts } from './dns.ts';
import { ecommerceProducts } from './ecommerce.ts';
import { fontProducts } from './font.ts';
import { frameworkProducts } from './framework.ts';
import { hostingProducts } from './hosting.ts';
import { javascriptLibraryProducts } from './javascript-library.ts';
import { marketingProducts } from './marketing.ts';
import { monitoringProducts } from './monitoring.ts';
import { paymentProducts } from './payment.ts';
import { programmingLanguageProducts } from './programming-language.ts';
import { scriptCdnProducts } from './script-cdn.ts';
import { securityProducts } from './security.ts';
import { serverProducts } from './server.ts';
import { siteBuilderProducts } from './site-builder.ts';
import { supportProducts } from './support.ts';
import { tagManagerProducts } from './tag-manager.ts';
import { videoProducts } from './video.ts';
import type { Product } from './technology-rule.ts';

/** A product with the category of its file. */
export interface CategorizedProduct extends Product {
  readonly category: TechnologyCategory;
}

const productsByCategory: Readonly<Record<TechnologyCategory, readonly Product[]>> = {
  analytics: analyticsProducts,
  cdn: cdnProducts,
  cms: cmsProducts,
  consent: consentProducts,
  dns: dnsProducts,
  ecommerce: ecommerceProducts,
  font: fontProducts,
  framework: frameworkProducts,
  hosting: hostingProducts,
  javascript_library: javascriptLibraryProducts,
  marketing: marketingProducts,
  monitoring: monitoringProducts,
  payment: paymentProducts,
  programming_language: programmingLanguageProducts,
  script_cdn: scriptCdnProducts,
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

/** The products by `id`. */
export const productById: ReadonlyMap<string, CategorizedProduct> = new Map(
  products.map((product) => [product.id, product]),
);
