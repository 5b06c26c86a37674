import type { Product } from './technology-rule.ts';

export const ecommerceProducts: readonly Product[] = [
  {
    id: 'shopify',
    name: 'Shopify',
    rules: [
      { header: 'x-shopid' },
      { header: 'x-shopify-stage' },
      { header: 'powered-by', prefix: 'Shopify' },
      { cookie: '_shopify_y' },
      { cookie: '_shopify_s' },
      { cookie: '_shopify_essential' },
      { scriptHost: 'cdn.shopify.com' },
      { linkHost: 'cdn.shopify.com' },
      { meta: 'shopify-checkout-api-token' },
      { meta: 'shopify-digital-wallet' },
      { host: 'myshopify.com' },
      { cname: 'myshopify.com' },
    ],
  },
  {
    id: 'woocommerce',
    name: 'WooCommerce',
    rules: [
      { generator: 'WooCommerce' },
      { scriptPath: '/wp-content/plugins/woocommerce/' },
      { linkPath: '/wp-content/plugins/woocommerce/' },
      { cookie: 'woocommerce_items_in_cart' },
      { cookie: 'woocommerce_cart_hash' },
      { cookiePrefix: 'wp_woocommerce_session_' },
    ],
    implies: ['wordpress'],
  },
  {
    id: 'magento',
    name: 'Magento',
    rules: [
      { header: 'x-magento-cache-debug' },
      { header: 'x-magento-tags' },
      { header: 'x-magento-vary' },
      { cookie: 'X-Magento-Vary' },
      { cookie: 'mage-cache-storage' },
      { cookie: 'mage-messages' },
    ],
    implies: ['php'],
  },
  {
    id: 'prestashop',
    name: 'PrestaShop',
    rules: [
      { generator: 'PrestaShop' },
      { header: 'powered-by', prefix: 'PrestaShop' },
      { cookiePrefix: 'PrestaShop-' },
    ],
    implies: ['php'],
  },
  {
    id: 'shopware',
    name: 'Shopware',
    rules: [
      { header: 'sw-context-token' },
      { header: 'sw-version-id' },
      { cookie: 'sw-cache-hash' },
      { cookie: 'sw-states' },
    ],
    implies: ['php'],
  },
  {
    id: 'bigcommerce',
    name: 'BigCommerce',
    rules: [
      { scriptHost: 'bigcommerce.com' },
      { linkHost: 'bigcommerce.com' },
      { cookie: 'SHOP_SESSION_TOKEN' },
      { host: 'mybigcommerce.com' },
      { cname: 'mybigcommerce.com' },
    ],
  },
  {
    id: 'opencart',
    name: 'OpenCart',
    rules: [{ cookie: 'OCSESSID' }, { scriptPath: '/catalog/view/javascript/' }],
    implies: ['php'],
  },
  {
    id: 'ecwid',
    name: 'Ecwid',
    rules: [{ scriptHost: 'app.ecwid.com' }],
  },
  {
    id: 'salesforce-commerce-cloud',
    name: 'Salesforce Commerce Cloud',
    rules: [
      { cookiePrefix: 'dwac_' },
      { cookie: 'dwsid' },
      { scriptPath: '/on/demandware.static/' },
      { linkPath: '/on/demandware.static/' },
    ],
  },
  {
    id: 'vtex',
    name: 'VTEX',
    rules: [
      { header: 'x-vtex-cache-status-janus-apicache' },
      { header: 'powered', prefix: 'vtex' },
      { header: 'server', prefix: 'VTEX IO' },
      { scriptHost: 'vtexassets.com' },
      { linkHost: 'vtexassets.com' },
    ],
  },
  {
    id: 'snipcart',
    name: 'Snipcart',
    rules: [{ scriptHost: 'cdn.snipcart.com' }, { linkHost: 'cdn.snipcart.com' }],
  },
  {
    id: 'odoo',
    name: 'Odoo',
    rules: [{ generator: 'Odoo' }],
    implies: ['python'],
  },
];
