import type { Product } from './technology-rule.ts';

export const paymentProducts: readonly Product[] = [
  {
    id: 'stripe',
    name: 'Stripe',
    rules: [
      { scriptHost: 'js.stripe.com' },
      { cookie: '__stripe_mid' },
      { cookie: '__stripe_sid' },
    ],
  },
  {
    id: 'paypal',
    name: 'PayPal',
    rules: [{ scriptHost: 'paypal.com' }, { scriptHost: 'paypalobjects.com' }],
  },
  {
    id: 'klarna',
    name: 'Klarna',
    rules: [{ scriptHost: 'js.klarna.com' }, { scriptHost: 'x.klarnacdn.net' }],
  },
  {
    id: 'adyen',
    name: 'Adyen',
    rules: [
      { scriptHost: 'checkoutshopper-live.adyen.com' },
      { scriptHost: 'checkoutshopper-live.cdn.adyen.com' },
    ],
  },
  {
    id: 'braintree',
    name: 'Braintree',
    rules: [{ scriptHost: 'js.braintreegateway.com' }],
  },
  {
    id: 'square',
    name: 'Square',
    rules: [{ scriptHost: 'web.squarecdn.com' }],
  },
  {
    id: 'mollie',
    name: 'Mollie',
    rules: [{ scriptHost: 'js.mollie.com' }],
  },
  {
    id: 'razorpay',
    name: 'Razorpay',
    rules: [{ scriptHost: 'checkout.razorpay.com' }],
  },
  {
    id: 'paddle',
    name: 'Paddle',
    rules: [{ scriptHost: 'cdn.paddle.com' }],
  },
  {
    id: 'amazon-pay',
    name: 'Amazon Pay',
    rules: [
      { scriptHost: 'static-na.payments-amazon.com' },
      { scriptHost: 'static-eu.payments-amazon.com' },
    ],
  },
];
