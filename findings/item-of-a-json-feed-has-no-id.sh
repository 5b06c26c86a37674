#!/usr/bin/env bash
# An item that has an identifier as RSS and as Atom has none as JSON Feed.
#
# Version: feed 6.0.0
# Behavior: of an item with a title, a link and a date, which are all that is required, `rss2()` and `atom1()` use the
#   link as identifier, and `json1()` writes none. With a `guid`, it is the same.
# Expected: `"id": "https://site.example/1"`. JSON Feed requires an id, recommends the URL for it, and names no
#   substitute. The table of options has `id` as optional, "(Atom/JSON)".
# Why it matters: readers tell by the id which items are new, so they drop these items, or guess. Validators reject
#   the feed. The two other formats of the same page have no fault.
# Output: rss2=https://site.example/1 atom1=https://site.example/1 json1=undefined
# Source: https://www.jsonfeed.org/version/1.1/ ("items", "id (required, string)");
#   https://github.com/jpmonette/feed#item-options
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent feed@6.0.0 >>npm.log

cat >finding.mjs <<'JS'
import { Feed } from 'feed';

const feed = new Feed({ title: 'Names', id: 'urn:example:names', copyright: '' });
feed.addItem({ title: 'One', link: 'https://site.example/1', date: new Date(0) });
const seen = [
  `rss2=${/<guid[^>]*>([^<]*)/.exec(feed.rss2())?.[1]}`,
  `atom1=${/<entry>[^]*<id>([^<]*)/.exec(feed.atom1())?.[1]}`,
  `json1=${JSON.parse(feed.json1()).items[0].id}`,
].join(' ');
console.log(seen);
const expected = 'rss2=https://site.example/1 atom1=https://site.example/1 json1=undefined';
process.exitCode = seen === expected ? 0 : 1;
JS
node finding.mjs
