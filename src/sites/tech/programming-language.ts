import type { Product } from './technology-rule.ts';

export const programmingLanguageProducts: readonly Product[] = [
  {
    id: 'php',
    name: 'PHP',
    rules: [
      { header: 'x-powered-by', product: 'PHP' },
      { header: 'server', product: 'PHP' },
      { cookie: 'PHPSESSID' },
    ],
  },
  {
    id: 'python',
    name: 'Python',
    rules: [
      { header: 'server', product: 'Python' },
      { header: 'server', product: 'CPython' },
    ],
  },
  {
    id: 'ruby',
    name: 'Ruby',
    rules: [{ header: 'server', product: 'Ruby' }],
  },
  {
    id: 'java',
    name: 'Java',
    rules: [{ cookie: 'JSESSIONID' }],
  },
  {
    id: 'node-js',
    name: 'Node.js',
    rules: [{ cookie: 'connect.sid' }],
  },
];
