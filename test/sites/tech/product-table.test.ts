import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import table from '../../../src/sites/tech/products.json' with { type: 'json' };
import tableSchema from '../../../src/sites/tech/products.schema.json' with { type: 'json' };
import {
  detectTechnologies,
  productById,
  products,
} from '../../../src/sites/tech/detect-technologies.ts';
import type { TechnologyRule } from '../../../src/sites/tech/technology.ts';
import { dnsRecords, pageVisit } from '../../support/bodies/page-visit.ts';

/** Returns a visit of a site that shows one rule and nothing else. */
function siteWith(rule: TechnologyRule) {
  const dns = dnsRecords();
  const site = (
    document: Parameters<typeof pageVisit>[0],
    changes?: Parameters<typeof pageVisit>[1],
  ) => ({ visit: pageVisit(document, changes), dns });
  const link = (rel: string, url: string) =>
    site({ links: [{ rel: [rel], url, type: null, sizes: null }] });
  if ('header' in rule) {
    const value = rule.prefix ?? rule.product ?? rule.element ?? rule.includes ?? 'x';
    return site({}, { headers: { [rule.header]: value } });
  }
  if ('cookie' in rule) return site({}, { cookieNames: [rule.cookie] });
  if ('cookiePrefix' in rule) return site({}, { cookieNames: [`${rule.cookiePrefix}1`] });
  if ('generator' in rule) return site({ metas: [{ key: 'generator', content: rule.generator }] });
  if ('meta' in rule) return site({ metas: [{ key: rule.meta, content: rule.content ?? 'x' }] });
  if ('scriptHost' in rule)
    return site({ scripts: [`https://a.${rule.scriptHost}${rule.path ?? '/'}?${rule.parameter ?? ''}1`] });
  if ('scriptPath' in rule) return site({ scripts: [`${rule.scriptPath}a.js`] });
  if ('scriptFile' in rule) return site({ scripts: [`/a/${rule.scriptFile}.min.js`] });
  if ('linkHost' in rule) return link('stylesheet', `https://${rule.linkHost}/a.css`);
  if ('linkPath' in rule) return link('stylesheet', `${rule.linkPath}a.css`);
  if ('linkRel' in rule) return link(rule.linkRel, 'https://www.example.com/api');
  if ('host' in rule) return site({}, { finalUrl: `https://a.${rule.host.replace('*', 'eu-west-1')}/` });
  if ('cname' in rule) return { visit: pageVisit(), dns: dnsRecords({ cname: [`a.${rule.cname}`] }) };
  return { visit: pageVisit(), dns: dnsRecords({ ns: [`a.${rule.nameserver}`] }) };
} // prettier-ignore

/** Returns the products that a rule shows, except those that another product implies. */
function directIds(rule: TechnologyRule): readonly string[] {
  return detectTechnologies(siteWith(rule))
    .filter(({ evidence }) => evidence.every(({ source }) => source !== 'implied'))
    .map(({ id }) => id);
}

describe('the table of products', () => {
  it('conforms to its JSON Schema', () => {
    const ajv = new Ajv();
    expect(ajv.validate(tableSchema, table), ajv.errorsText()).toBe(true);
  });

  it('has 150 products or more, each with a stable id of its own and rules', () => {
    expect(products.length).toBeGreaterThanOrEqual(150);
    expect(productById.size).toBe(products.length);
    expect(new Set(products.map(({ name }) => name)).size).toBe(products.length);
    for (const { id, rules } of products) {
      expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      expect(rules, id).not.toHaveLength(0);
    }
  });

  it('implies only products of the table', () => {
    for (const { id, implies = [] } of products)
      for (const implied of implies) expect(productById.has(implied), id).toBe(true);
  });

  it('recognizes each product by each of its rules', () => {
    for (const { id, rules } of products)
      for (const rule of rules) {
        const found = detectTechnologies(siteWith(rule)).find((one) => one.id === id);
        const direct = found?.evidence.filter(({ source }) => source !== 'implied') ?? [];
        expect(direct, `${id}: ${JSON.stringify(rule)}`).not.toHaveLength(0);
      }
  });

  it('recognizes one product by one rule, besides those that it implies', () => {
    const ambiguous = products.flatMap(({ id, rules }) =>
      rules.filter((rule) => directIds(rule).some((found) => found !== id)),
    );
    expect(ambiguous).toEqual([]);
  });

  it('compares header names and hosts in lower case', () => {
    for (const { rules } of products)
      for (const rule of rules)
        for (const [key, value] of Object.entries(rule))
          if (
            ['header', 'meta', 'scriptHost', 'linkHost', 'host', 'cname', 'nameserver'].includes(
              key,
            )
          )
            expect(value).toBe(String(value).toLowerCase());
  });
});
