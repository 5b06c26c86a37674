#!/usr/bin/env bash
# The links of an Atom feed with `xml:base` stay relative, and an entry's update is not dated (rss-parser 3.13.0).
#
# Behavior: `link` is the text of the attribute, whatever `xml:base` says. `isoDate` and `pubDate` are
# those of `published`; of `updated`, which every entry must have, nothing is left if both are there.
# A good guess: `link` can be opened. RFC 4287, section 2: the base of xml:base "is used to resolve
# relative references found within the effective scope". And a reader that sorts entries by `isoDate`,
# or compares it to find what is new, never sees that an entry changed: a watched name whose entry is
# published once and updated with each change looks unchanged for good.
# Seen: link=item/1 isoDate=2025-01-01T00:00:00.000Z updated=undefined
# Source: https://www.rfc-editor.org/rfc/rfc4287.html#section-2, section 4.2.15,
# https://www.npmjs.com/package/rss-parser
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent rss-parser@3.13.0 >>npm.log

cat >finding.mjs <<'JS'
import Parser from 'rss-parser';

const feed = await new Parser().parseString(`<?xml version="1.0"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://watches.example/feed/">
  <title>Names</title><id>urn:uuid:60a76c80-d399-11d9-b93c-0003939e0af6</id>
  <updated>2026-01-01T00:00:00Z</updated>
  <entry>
    <title>example.com</title><id>urn:uuid:1225c695-cfb8-4ebb-aaaa-80da344efa6a</id>
    <link href="item/1"/>
    <published>2025-01-01T00:00:00Z</published><updated>2026-01-01T00:00:00Z</updated>
  </entry>
</feed>`);
const [{ link, isoDate, updated }] = feed.items;
const seen = `link=${link} isoDate=${isoDate} updated=${updated}`;
console.log(seen);
process.exitCode =
  seen === 'link=item/1 isoDate=2025-01-01T00:00:00.000Z updated=undefined' ? 0 : 1;
JS
node finding.mjs
