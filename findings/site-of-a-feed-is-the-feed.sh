#!/usr/bin/env bash
# cspell:ignore htmlparser
# The page of an Atom feed is the feed itself.
#
# Version: htmlparser2 12.0.0
# Behavior: `parseFeed` returns the first `link` of a feed and of an entry as its `link`, whatever its `rel`
#   is: the feed's own address, or that of an attached file.
# Expected: the link that is "alternate", or has no `rel`, which means the same. The order of elements says nothing
#   in Atom. In RSS, where `link` is the page, the same field has the page.
# Why it matters: many feeds name themselves first, which the RFC asks them to do somewhere. Whoever follows the
#   link to a page gets XML or a download.
# Output: feed=https://site.example/feed.atom entry=https://site.example/names.csv
# Source: RFC 4287, sections 4.1.1 and 4.2.7.2, https://www.rfc-editor.org/rfc/rfc4287.html#section-4.2.7.2;
#   https://github.com/fb55/htmlparser2#parsing-feeds
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent htmlparser2@12.0.0 >>npm.log

cat >finding.mjs <<'JS'
import { parseFeed } from 'htmlparser2';

const feed = parseFeed(`<?xml version="1.0"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <title>Names</title><id>urn:example:feed</id><updated>2026-01-01T00:00:00Z</updated>
  <link rel="self" href="https://site.example/feed.atom"/>
  <link href="https://site.example/"/>
  <entry>
    <title>New names</title><id>urn:example:entry</id><updated>2026-01-01T00:00:00Z</updated>
    <link rel="enclosure" href="https://site.example/names.csv"/>
    <link rel="alternate" href="https://site.example/new-names"/>
  </entry>
</feed>`);
const seen = `feed=${feed.link} entry=${feed.items[0].link}`;
console.log(seen);
const expected = 'feed=https://site.example/feed.atom entry=https://site.example/names.csv';
process.exitCode = seen === expected ? 0 : 1;
JS
node finding.mjs
