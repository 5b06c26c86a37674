#!/usr/bin/env bash
# cspell:ignore Tlds
# A field that two fragments have in common costs twice, and is resolved once.
#
# Version: graphql-query-complexity 2.0.0 with graphql 16.15.0
# Behavior: `getComplexity` adds up the selections as they are written. If two fragments select `tlds`, the list and
#   its fields count twice, as does a field that is written twice.
# Expected: the cost of what is executed. GraphQL merges fields with the same response name before it
#   resolves them, so both queries below have the same fields, and call the resolver once.
# Why it matters: clients compose a query of one fragment for each component, with the same fields in many of them.
#   One more component, and a query is rejected although nothing more is executed.
# Output: merged: cost 31, 1 call; two fragments: cost 52, 1 call
# Source: https://spec.graphql.org/October2021/#sec-Field-Collection;
#   https://github.com/slicknode/graphql-query-complexity#readme (does not mention it);
#   https://github.com/rmosolgo/graphql-ruby/pull/2595 (the same fault, fixed in another library)
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --silent graphql-query-complexity@2.0.0 graphql@16.15.0 >>npm.log

cat >finding.mjs <<'JS'
import { buildSchema, execute, parse } from 'graphql';
import { getComplexity } from 'graphql-query-complexity';

const schema = buildSchema(`
  type Query { tlds(first: Int!): [Tld!]! }
  type Tld { name: String! operator: String country: String }
`);
const estimators = [({ args, childComplexity }) => 1 + (args.first ?? 1) * childComplexity];

/** Returns the cost of an operation, and how often its list is resolved. */
async function measure(text) {
  const query = parse(text);
  let calls = 0;
  const rootValue = { tlds: () => ((calls += 1), [{ name: 'com' }]) };
  await execute({ schema, document: query, rootValue });
  return `cost ${getComplexity({ schema, query, estimators })}, ${calls} call`;
}

const merged = '{ tlds(first: 10) { name operator country } }';
const fragments = `
  { ...Names ...Tlds }
  fragment Names on Query { tlds(first: 10) { name operator } }
  fragment Tlds on Query { tlds(first: 10) { name operator country } }
`;
const seen = `merged: ${await measure(merged)}; two fragments: ${await measure(fragments)}`;
console.log(seen);
const expected = 'merged: cost 31, 1 call; two fragments: cost 52, 1 call';
process.exitCode = seen === expected ? 0 : 1;
JS
node finding.mjs
