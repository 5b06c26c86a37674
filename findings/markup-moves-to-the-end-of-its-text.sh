#!/usr/bin/env bash
# Inline markup in an Atom entry moves to the end of its text.
#
# Version: rss-parser 3.13.0
# Behavior: for `type="xhtml"`, `content` and `contentSnippet` hold the plain text of an element first,
#   and its child elements after that.
# Expected: the order of the document, as for `type="html"` and as in browsers.
# Why it matters: "is <b>not</b> available." becomes "is  available.not". A reader that shows or searches
#   the first words of an entry says the opposite of it.
# Output: example.com is  available.not
# Source: RFC 4287, section 3.1.1.3, https://www.rfc-editor.org/rfc/rfc4287.html#section-3.1.1.3;
#   https://github.com/rbren/rss-parser/issues/275 (open)
set -euo pipefail
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder"
npm init -y >npm.log && npm install --no-audit --no-fund --silent rss-parser@3.13.0 >>npm.log

cat >finding.mjs <<'JS'
import Parser from 'rss-parser';

const feed = await new Parser().parseString(`<?xml version="1.0"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <title>Names</title><id>urn:example:feed</id><updated>2026-01-01T00:00:00Z</updated>
  <entry>
    <title>example.com</title><id>urn:example:entry</id><updated>2026-01-01T00:00:00Z</updated>
    <content type="xhtml">
      <div xmlns="http://www.w3.org/1999/xhtml">example.com is <b>not</b> available.</div>
    </content>
  </entry>
</feed>`);
const seen = feed.items[0].contentSnippet;
console.log(seen);
process.exitCode = seen === 'example.com is  available.not' ? 0 : 1;
JS
node finding.mjs
