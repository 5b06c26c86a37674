import { technologyCategories, type TechnologyCategory } from '../technology.ts';
import { analyticsProducts } from './products/services/analytics.ts';
import { cdnProducts } from './products/cdn.ts';
import { cmsProducts } from './products/cms.ts';
import { consentProducts } from './products/services/consent.ts';
import { dnsProducts } from './products/dns.ts';
import { ecommerceProducts } from './products/ecommerce.ts';
import { fontProducts } from './products/page/font.ts';
import { frameworkProducts } from './products/framework.ts';
import { hostingProducts } from './products/hosting.ts';
import { javascriptLibraryProducts } from './products/page/javascript-library.ts';
import { marketingProducts } from './products/services/marketing.ts';
import { monitoringProducts } from './products/services/monitoring.ts';
import { paymentProducts } from './products/services/payment.ts';
import { programmingLanguageProducts } from './products/programming-language.ts';
import { scriptCdnProducts } from './products/page/script-cdn.ts';
import { securityProducts } from './products/security.ts';
import { serverProducts } from './products/server.ts';
import { siteBuilderProducts } from './products/site-builder.ts';
import { supportProducts } from './products/services/support.ts';
import { tagManagerProducts } from './products/services/tag-manager.ts';
import { videoProducts } from './products/page/video.ts';
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
