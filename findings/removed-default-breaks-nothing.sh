#!/usr/bin/env bash
# An argument that becomes required is not a breaking change.
#
# Version: @graphql-inspector/core 8.0.0 with graphql 16.15.0
# Behavior: from `max: Int! = 10` to `max: Int!`, `diff` finds a changed default value, which is "dangerous" only.
#   Input fields behave alike.
# Expected: "breaking", as for a required argument that is added. Without the default value, operations that
#   leave out the argument are no longer valid.
# Why it matters: checks in CI fail for breaking changes, and let dangerous ones pass. The change reads like one
#   of another default, and every client that relied on it gets an error.
# Output: DANGEROUS ("{ names }" before: valid, after: invalid)
# Source: https://spec.graphql.org/draft/#sec-Validation.Type-system-evolution ("can cause a previously valid
#   request to become invalid"), https://spec.graphql.org/draft/#sec-Required-Arguments
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log
npm install --no-audit --no-fund --silent @graphql-inspector/core@8.0.0 graphql@16.15.0 >>npm.log

cat >finding.mjs <<'JS'
import { diff } from '@graphql-inspector/core';
import { buildSchema, parse, validate } from 'graphql';

const before = buildSchema('type Query { names(max: Int! = 10): [String!]! }');
const after = buildSchema('type Query { names(max: Int!): [String!]! }');
const changes = await diff(before, after);
const levels = changes.map(({ criticality }) => criticality.level);

const [old, now] = [before, after].map((schema) =>
  validate(schema, parse('{ names }')).length === 0 ? 'valid' : 'invalid',
);
const seen = `${levels} ("{ names }" before: ${old}, after: ${now})`;
console.log(seen);
process.exitCode = seen === 'DANGEROUS ("{ names }" before: valid, after: invalid)' ? 0 : 1;
JS
node finding.mjs
