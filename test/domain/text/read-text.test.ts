// cspell:ignore ycombinator oreilly andco generationy redhare rothase blaufuchs hase Webseite zuvo mipi tasknest planhive mygreatstartup NDEKTSV RRFFQ Ghpcy Bpcy
import { describe, expect, it } from 'vitest';
import { namesOf, readText, summaryOf } from '../../../src/domain/text/read-text.js';

/** Texts, with the names that are read. */
const texts: [kind: string, rows: readonly (readonly [string, string])[]][] = [
  [
    'numbered and bulleted lists',
    [
      ['1. BlueFox\n2. Red Fox\n3. Green_Fox (maybe .io?)', 'bluefox redfox greenfox'],
      ['1. BlueFox\n2. https://yellowfox.app/', 'bluefox yellowfox.app'],
      ['1) BlueFox\n2) RedFox', 'bluefox redfox'],
      ['(1) BlueFox\n(2) RedFox', 'bluefox redfox'],
      ['[1] BlueFox\n[2] RedFox', 'bluefox redfox'],
      ['1: BlueFox\n2: RedFox', 'bluefox redfox'],
      ['#1 BlueFox\n#2 RedFox', 'bluefox redfox'],
      ['1 - BlueFox\n2 - RedFox', 'bluefox redfox'],
      ['1.BlueFox\n2.RedFox', 'bluefox redfox'],
      ['1 bluefox\n2 redfox', 'bluefox redfox'],
      ['1\\. BlueFox\n2\\. RedFox', 'bluefox redfox'],
      ['① BlueFox\n② RedFox', 'bluefox redfox'],
      ['1️⃣ BlueFox\n2️⃣ RedFox', 'bluefox redfox'],
      ['I. BlueFox\nII. RedFox\nIII. GreenFox', 'bluefox redfox greenfox'],
      ['a) BlueFox\nb) RedFox', 'bluefox redfox'],
      ['Option A: BlueFox\nOption B: RedFox', 'bluefox redfox'],
      ['Idea 1 – BlueFox\nIdea 2 – RedFox', 'bluefox redfox'],
      ['(1) BlueFox (2) RedFox', 'bluefox redfox'],
      ['1. BlueFox 2. RedFox 3. GreenFox', 'bluefox redfox greenfox'],
      ['- BlueFox\n- Red Fox\n- GreenFox', 'bluefox redfox greenfox'],
      ['-bluefox\n-redfox', 'bluefox redfox'],
      ['• BlueFox • RedFox', 'bluefox redfox'],
      ['•BlueFox\n•RedFox', 'bluefox redfox'],
      ['– BlueFox\n– RedFox', 'bluefox redfox'],
      ['> bluefox\n> redfox', 'bluefox redfox'],
      ['✅ BlueFox\n✅ RedFox', 'bluefox redfox'],
      ['🥇 BlueFox\n🥈 RedFox', 'bluefox redfox'],
      ['BlueFox ✅\nRedFox ❌', 'bluefox redfox'],
      ['👉 bluefox.com 👈', 'bluefox.com'],
      ['- [ ] bluefox\n- [x] redfox', 'bluefox redfox'],
      ['  bluefox  \n\n\tredfox\n', 'bluefox redfox'],
      ['Name: BlueFox\nName: RedFox', 'bluefox redfox'],
      ['Top picks: BlueFox, RedFox', 'bluefox redfox'],
      ['Some name ideas: bluefox / redfox', 'bluefox redfox'],
      ['- BlueFox\n- RedFox\n\n💡 *Tip: check the .com first!*', 'bluefox redfox'],
    ],
  ],
  [
    'Markdown and HTML',
    [
      ['* **BlueFox** – short and strong\n* **RedFox** – playful', 'bluefox redfox'],
      ['- **BlueFox:** short\n- **RedFox:** playful', 'bluefox redfox'],
      ['1. **BlueFox** - *Short.* Works well.\n\n2. **RedFox** - *Bold.*', 'bluefox redfox'],
      ['**1. BlueFox**\nA short name.\n\n**2. RedFox**\nA bold one.', 'bluefox redfox'],
      ['### 1. BlueFox\nShort and strong.\n### 2. RedFox\nPlayful.', 'bluefox redfox'],
      ['**Nature:**\n- Bluefox\n- Redfox\n\n**City:**\n- Paris', 'bluefox redfox paris'],
      ['- **Nature:**\n  - Bluefox\n  - Redfox', 'bluefox redfox'],
      ['- BlueFox\n  - short\n  - also bluefox.io\n- RedFox', 'bluefox bluefox.io redfox'],
      ['1. BlueFox\n- short\n- strong\n2. RedFox\n- playful', 'bluefox redfox'],
      ['__BlueFox__, _RedFox_ and `greenfox.com`', 'bluefox redfox greenfox.com'],
      ['~~bluefox.com~~\nredfox.com', 'bluefox.com redfox.com'],
      ['```\nbluefox\nredfox\n```', 'bluefox redfox'],
      ['[BlueFox](https://bluefox.io)', 'bluefox bluefox.io'],
      ['<a href="https://fox.io/x">Fox</a> <a href=hare.io>Hare</a>', 'fox hare fox.io hare.io'],
      ['[Fox](https://fox.io/x) [Hare](https://hare.io)', 'fox hare fox.io hare.io'],
      ['<https://bluefox.io> <bluefox.com>', 'bluefox.io bluefox.com'],
      ['<ul><li>BlueFox</li><li>Red&nbsp;Fox</li></ul>', 'bluefox redfox'],
      ['["bluefox", "redfox"]', 'bluefox redfox'],
      ['{"domains": ["fox.com", "hare.io"], "count": 2}', 'fox.com hare.io'],
      ['[{"name":"Fox","why":"short"},\n{"name":"Red Fox","why":"bold"}]', 'fox redfox'],
      ['[{"domain":"fox.com","status":"free"}]', 'fox.com'],
    ],
  ],
  [
    'comments',
    [
      ['bluefox → short\nredfox → long', 'bluefox redfox'],
      ['BlueFox -> short\nRedFox => bold', 'bluefox redfox'],
      ['bluefox: short\nredfox: long', 'bluefox redfox'],
      ['BlueFox — short, strong\nRedFox — playful, fun', 'bluefox redfox'],
      ['BlueFox—short and strong', 'bluefox'],
      ['bluefox - short, redfox - playful', 'bluefox redfox'],
      ['bluefox (short), redfox [playful]', 'bluefox redfox'],
      ['BlueFox – taken, but bluefox.io is free', 'bluefox bluefox.io'],
      ['bluefox.com: redfox.io', 'bluefox.com redfox.io'],
      [
        '1. bluefox.com: hare.com, owl.com\n2. Site: redfox.io',
        'bluefox.com hare.com owl.com redfox.io',
      ],
      ['bluefox.com # mine\n# later: old.com\nredfox.com // no', 'bluefox.com redfox.com'],
      ['1. BlueFox.com (taken)\n2. RedFox.io – free', 'bluefox.com redfox.io'],
      ['Fox (bluefox.com, the best)', 'fox bluefox.com'],
      ['bluefox (.com, .net)', 'bluefox.com bluefox.net'],
      ['bluefox (.com/.net/.org)', 'bluefox.com bluefox.net bluefox.org'],
      ['bluefox .com/.net', 'bluefox.com bluefox.net'],
    ],
  ],
  [
    'tables',
    [
      ['BlueFox\tavailable?\nRedFox\tyes', 'bluefox redfox'],
      ['#\tDomain\tPrice\n1\tbluefox.com\t12\n2\tredfox.io\t9', 'bluefox.com redfox.io'],
      ['Name,Price\nBlueFox,$12\nRedFox,$9', 'bluefox redfox'],
      ['Name\tPrice\nBlueFox\t$12\nRedFox\t$9', 'bluefox redfox'],
      ['Idea;Meaning;Price\nBlueFox;short;12\nRedFox;bold;9', 'bluefox redfox'],
      ['Company\tCost\nBlueFox\t12\nRedFox\t9', 'bluefox redfox'],
      ['1 | BlueFox | good\n2 | RedFox | bad', 'bluefox redfox'],
      ['| Name | Why |\n|---|---|\n| BlueFox | short |\n| RedFox | bold |', 'bluefox redfox'],
      ['| Name | Site |\n|:--|--:|\n| Fox | fox.com |\n| Hare | hare.io |', 'fox.com hare.io'],
      ['Try:\n\n| Idea |\n|---|\n| BlueFox |\n| RedFox |\n\nGood luck!', 'bluefox redfox'],
      [
        '┌─────┬────┐\n│ x │ ok │\n├─────┼────┤\n│ fox │ no │\n│ hare │ no │\n└─────┴────┘',
        'fox hare',
      ],
      ['fox.com     available    12.99\nhare.com    taken        9.99', 'fox.com hare.com'],
      ['"a.dev","12.00"\n"b.dev","9.99"', 'a.dev b.dev'],
      ['a.dev\t€12\tyes\nb.dev\t€9\tno', 'a.dev b.dev'],
      ['fox.com\t2026-01-12\nhare.com\t2026-02-13', 'fox.com hare.com'],
      ['bluefox,redfox\ngreenfox,blackfox', 'bluefox redfox greenfox blackfox'],
      ['Domain name\nbluefox.dev\n redfox.com\n\n', 'bluefox.dev redfox.com'],
    ],
  ],
  [
    'names in a line',
    [
      ['bluefox or redfox', 'bluefox redfox'],
      ['BlueFox, RedFox or GreenFox', 'bluefox redfox greenfox'],
      ['bluefox, redfox, and greenfox', 'bluefox redfox greenfox'],
      ['BlueFox vs. RedFox', 'bluefox redfox'],
      ['bluefox & redfox', 'bluefox redfox'],
      ['bluefox/redfox', 'bluefox redfox'],
      ['red fox / blue fox', 'redfox bluefox'],
      ['24/7 fox', '247fox'],
      ['bluefox.com/redfox.com', 'bluefox.com redfox.com'],
      ['bluefox、redfox；greenfox', 'bluefox redfox greenfox'],
      ['bluefox|redfox|greenfox', 'bluefox redfox greenfox'],
      ['bluefox, redfox, etc.', 'bluefox redfox'],
      ['either bluefox or redfox', 'bluefox redfox'],
      ['bluefox or redfox or maybe greenfox?', 'bluefox redfox greenfox'],
      ['bluefox.com bluefox.net', 'bluefox.com bluefox.net'],
      ['bluefox.com or .net', 'bluefox.com bluefox.net'],
      ['bluefox .com', 'bluefox.com'],
      ['bluefox .com .net', 'bluefox.com bluefox.net'],
      ['bluefox,com', 'bluefox.com'],
      ['bluefox.com,', 'bluefox.com'],
      ['a.dev, a.dev', 'a.dev'],
      ['https://a.dev/x,y?z,https://b.dev/', 'a.dev b.dev'],
      ['Red Fox', 'redfox'],
      ['my idea.com', 'myidea.com'],
      ['maybe BlueFox', 'bluefox'],
      ['"BlueFox", „RedFox“, «GreenFox»', 'bluefox redfox greenfox'],
      ['‚BlueFox‘, ‹RedFox›, 「GreenFox」, ’Hare’', 'bluefox redfox greenfox hare'],
    ],
  ],
  [
    'addresses',
    [
      ['hxxps://bluefox[.]com/path', 'bluefox.com'],
      ['hxxp[:]//www.bluefox[.]com', 'bluefox.com'],
      ['bluefox(dot)com', 'bluefox.com'],
      ['bluefox [dot] com', 'bluefox.com'],
      ['bluefox{.}com', 'bluefox.com'],
      ['bluefox dot com', 'bluefox.com'],
      ['joe [at] bluefox [dot] com', 'bluefox.com'],
      ['Some One <one@a.dev>, two@b.dev', 'a.dev b.dev'],
      ['bluefox.com:8080 http://redfox.io?a=1&b=2', 'bluefox.com redfox.io'],
      ['*.bluefox.com', 'bluefox.com'],
      ['http:/bluefox.com', 'bluefox.com'],
      ['Contact: one@a.dev, two@b.dev\nCc: three@c.dev', 'a.dev b.dev c.dev'],
      ['Domain Name: A.DEV\nName Server: NS1.B.NET', 'a.dev ns1.b.net'],
    ],
  ],
  [
    'prose',
    [
      ['I like bluefox.com and redfox.io, but not Node.js v1.2.3.', 'bluefox.com redfox.io'],
      ['The domain bluefox.com is taken.', 'bluefox.com'],
      ['Check bluefox.com please', 'bluefox.com'],
      ['It works well.Then we bought bluefox.com', 'bluefox.com'],
      [
        'Here are some ideas:\n\n1. **BlueFox**\n   - Short\n2. **RedFox**\n\nWhich one do you like?',
        'bluefox redfox',
      ],
      [
        'Sure! Here are 2 names:\n\nBlueFox\nRedFox\n\nLet me know what you think!',
        'bluefox redfox',
      ],
      [
        'From: Joe <joe@fox.com>\nTo: ann@hare.io\n\nHi Ann,\nplease look at wolf.app.\n\nBest regards\nJoe',
        'fox.com hare.io wolf.app',
      ],
      ['fox.com expires 12 January 2027, hare.com 2026-05-01', 'fox.com hare.com'],
      ['fox.com costs $12.99/yr, hare.com 9,99 € per year', 'fox.com hare.com'],
      ['BlueFox 9/10\nRedFox 85%', 'bluefox redfox'],
    ],
  ],
];

texts.push(
  [
    'several TLDs',
    [
      ['fox.com, .io, .app', 'fox.com fox.io fox.app'],
      ['fox.{com,io}', 'fox.com fox.io'],
      ['{fox|hare}.{com|io}', 'fox.com fox.io hare.com hare.io'],
      ['fox{,-app}.com', 'fox.com fox-app.com'],
      ['fox.[com|io], (fox|hare).net', 'fox.com fox.io fox.net hare.net'],
      ['fox.com|io|app', 'fox.com fox.io fox.app'],
      ['fox com/io/app', 'fox.com fox.io fox.app'],
      ['fox.com/.io + .app', 'fox.com fox.io fox.app'],
      ['www.fox.co.uk; .de and .com', 'fox.co.uk fox.de fox.com'],
      ['bluefox: .com, .io', 'bluefox.com bluefox.io'],
      ['bluefox, com, net', 'bluefox.com bluefox.net'],
      ['fox in .com and .net', 'fox.com fox.net'],
      ['fox.com\n  .io\n- .app\nhare.io', 'fox.com fox.io fox.app hare.io'],
      ['Name\tTLD\nfox\t.com\nhare\tio', 'fox.com hare.io'],
      ['fox.com|io|app\nhare.com|io', 'fox.com fox.io fox.app hare.com hare.io'],
      ['We could take fox.com, .io or .app. Right?', 'fox.com fox.io fox.app'],
    ],
  ],
  [
    'code, commands and settings',
    [
      ["const domains = ['fox.io', 'hare.app'];\nconsole.log(domains.name);", 'fox.io hare.app'],
      ['fetch("https://api.fox.io/x.js").then((r) => r.text());', 'api.fox.io'],
      ['server {\n  server_name fox.com www.fox.com;\n}', 'fox.com'],
      ['API_HOST=api.fox.com\nexport SITE_URL=https://hare.io', 'api.fox.com hare.io'],
      ["$ curl -s 'https://api.fox.com/?x=hare.io' | jq .", 'api.fox.com'],
      ['dig +short fox.com @8.8.8.8', 'fox.com'],
      ['whois fox.com', 'fox.com'],
      ['192.0.2.1 fox.com\n192.0.2.2 hare.io', 'fox.com hare.io'],
      ['fox.com # was old.com\n// older.com\n/* oldest.com */\nhare.io', 'fox.com hare.io'],
      ['index.html\nstyle.css\nfox.com', 'fox.com'],
      ['bluefox\n550e8400-e29b-41d4-a716-446655440000', 'bluefox'],
      ['bun.sh, fox.md, notion.so', 'bun.sh fox.md notion.so'],
      ['if you like fox.io (short), it is free', 'fox.io'],
      ['MyGreatStartup2026Berlin', 'mygreatstartup2026berlin'],
      ['fox.io;\nnew.io;\nimport-hare.io;', 'fox.io new.io import-hare.io'],
      ['bluefox;\nclass;\nreturn;', 'bluefox class return'],
      ['struct.ai (short)\nenum.io: fast\nfn.dev;', 'struct.ai enum.io fn.dev'],
      ['bluefox/\nredfox/', 'bluefox redfox'],
      ['sk-skate-shop-one, md5-something-long', 'sk-skate-shop-one md5-something-long'],
      ['fox.map', 'fox.map'],
      ['maybe', 'maybe'],
      ['Pros', 'pros'],
    ],
  ],
  [
    'headings',
    [
      ['Ideas:\n\nbluefox\nredfox\n\nSummary:\nbluefox is best', 'bluefox redfox'],
      ['BlueFox\nPros: short\nCons: long\n\nRedFox\nPros: bold\nCons: slow', 'bluefox redfox'],
      ['**BlueFox**\nPros:\n- short\n- bold\n\n**RedFox**\nCons:\n- long', 'bluefox redfox'],
      ['BlueFox\nVibe: warm\nRedFox\nVibe: cold', 'bluefox redfox'],
      ['Option 1:\nBlueFox\n\nOption 2:\nRedFox', 'bluefox redfox'],
      [
        'Short & catchy: Zuvo, Mipi\nDescriptive: TaskNest, PlanHive',
        'zuvo mipi tasknest planhive',
      ],
      ['names!!!\nbluefox\nred hare??', 'bluefox redhare'],
      ['Webseite: fuchs.de\nallow: *.hase.de', 'fuchs.de hase.de'],
      ['## Pros\n- short\n## Names\n- bluefox\n- redfox', 'bluefox redfox'],
    ],
  ],
  [
    'HTML around names',
    [
      ['see <a href="https://fox.com">fox</a>', 'fox.com'],
      ['Click [here](https://fox.com), or read [Hare](hare.io) now', 'fox.com hare.io'],
      ['<a href="https://fox.com"><b>Fox</b></a>', 'fox fox.com'],
      ['blue<em>fox</em>.com', 'bluefox.com'],
      [
        '<div class="x">fox.com</div><img src="https://a.com/x.png"><p>hare.io</p>',
        'fox.com hare.io',
      ],
      [
        '<tr><td>BlueFox</td><td>yes</td></tr><tr><td>RedFox</td><td>no</td></tr>',
        'bluefox redfox',
      ],
      ['<script>var a = "x.com";</script><!-- old.com --> fox.com', 'fox.com'],
      ['&lt;fox.com&gt; hare&period;io', 'fox.com hare.io'],
    ],
  ],
  [
    'other scripts and habits',
    [
      ['blaufuchs oder rothase', 'blaufuchs rothase'],
      ['renard ou lièvre', 'renard lièvre'],
      ['fox.com和hare.io', 'fox.com hare.io'],
      ['域名：蓝狐.com', '蓝狐.com'],
      ['①蓝狐②红兔', '蓝狐 红兔'],
      ['\u200fثعلب.com\u200f و أرنب.net', 'ثعلب.com أرنب.net'],
      ['#bluefox #redhare', 'bluefox redhare'],
      ['bluefox™', 'bluefox'],
      ['BlueFox, Inc. and RedHare', 'bluefox redhare'],
      ['fox.com+hare.io', 'fox.com hare.io'],
      ['www fox com', 'fox.com'],
      ['fox_dot_com', 'fox.com'],
      ['is bluefox available?', 'bluefox'],
      ['```json\n{"names": ["fox", "hare"]}\n```', 'fox hare'],
      ['From: Joe <joe@fox.com>\nSubject: Re: names\nDate: today\n\nHi Ann,\nJoe', 'fox.com'],
    ],
  ],
);

/** Texts in which nothing is a name. */
const nameless =
  `const x = require("foo.js")|see README.md|src/main.rs|C:\\\\Users\\\\joe\\\\notes.md|img_2031.png
550e8400-e29b-41d4-a716-446655440000|d41d8cd98f00b204e9800998ecf8427e|01ARZ3NDEKTSV4RRFFQ69G5FAV
sk-abc123DEF456ghi789|aGVsbG8gd29ybGQgdGhpcyBpcyBhIHRlc3Q=|body { color: red; }|Pros: short, catchy
*.io|.com|.co.uk|v1.2.3|2024-05-01|05/12/2024|$12.99|10:30|May 12, 2024
What about this one?|I am looking for a name for my bakery|Here are some names|# old.com`
    .split(/[|\n]/)
    .concat('Pros:\n- short\n- catchy\nCons:\n- taken', '#include <stdio.h>\nint main() { a.b(); }')
    .concat('import os\n\ndef main():\n    os.path.join(a, b)', 'main.rs\nlib.rs\nCargo.toml')
    .concat('Hello Joe,\nplease find a name for us.\nThanks!');

describe.each(texts)('a text with %s', (_kind, rows) => {
  it.each(rows)('%j is read', (text, names) => {
    expect(namesOf(readText(text))).toEqual(names.split(' '));
  });
});

it.each(nameless)('%j has no name', (text) => {
  expect(namesOf(readText(text))).toEqual([]);
});

it.each([
  ['my great idea', { alternative: 'my-great-idea', words: 'my, great, idea' }],
  ['bluefox com', { labels: ['bluefoxcom'], alternative: 'bluefox.com' }],
  ['Red Fox', { labels: ['redfox'], alternative: 'red-fox' }],
  ['Fox and Hare', { kind: 'list', joined: 'foxandhare' }],
  ['AT&T', { kind: 'list', joined: 'att' }],
  ['my idea.com', { alternative: 'my-idea.com', words: 'idea.com' }],
  ['fox.com/io/app', { labels: ['fox', 'com'], words: 'fox.com, .io, .app' }],
  ['fox.com|tech|cloud', { kind: 'list', words: 'fox.com, .tech, .cloud' }],
  ['main.rs', { labels: ['main', 'rs'], note: 'main.rs may also be a file.' }],
  ['README.md', { kind: 'invalid', suggestion: 'readme.md' }],
  ['see README.md for fox.com', { labels: ['fox', 'com'], words: 'fox.com, readme.md' }],
  ['0123456789abcdef', { kind: 'invalid', suggestion: '0123456789abcdef.com' }],
])('%j offers another reading', (text, reading) => {
  expect(readText(text)).toMatchObject(reading);
});

it.each([
  ['y combinator', 'ycombinator'],
  ['o reilly', 'oreilly'],
  ['and co', 'andco'],
  ['or fox.com', 'fox.com'],
  ['generation y', 'generationy'],
  ['fox y hare', 'fox hare'],
  ['fox, or hare', 'fox hare'],
  ['fox\nor hare', 'fox hare'],
  ['fox or', 'fox'],
  ['fox, hare: .com', 'fox.com hare.com'],
  ['fox and red hare: .com, .io', 'fox.com fox.io redhare.com redhare.io'],
  ['fox.com, hare → .io', 'fox.com hare.io'],
  ['Q: what is a good name?\nA: redfox', 'redfox'],
  ['Q: Is fox.com still free?\nA: hare.com', 'fox.com hare.com'],
  ['A: fox\nB: hare', 'fox hare'],
  ['Answer: redfox', 'redfox'],
  ['area51route66studio54rule34', 'area51route66studio54rule34'],
  ['24hour7days365year1team', '24hour7days365year1team'],
  ['Blog2024Update3Version4Final5', 'blog2024update3version4final5'],
  ['x1y2z3w4q5domain6name7', ''],
  ['AbC1dEf2GhI3jKl4MnO5pQ6', ''],
  ['a1b2c3d4e5g6h7i8j9k0', ''],
])('%j is read as %j', (text, names) => {
  expect(namesOf(readText(text)).join(' ')).toBe(names);
});

it.each(['、', '，', '；', '/', '+', '%20', '\\n'])(
  'reads lists of any length with %j and no spaces between names',
  (separator) => {
    const names = Array.from({ length: 1000 }, (_, index) => `bluefox${index}.com`);
    expect(namesOf(readText(names.join(separator)))).toEqual(names);
  },
);

it('says what it read in one line', () => {
  expect(summaryOf(readText('Some ideas:\n- fox.com\n- 192.0.2.1\n- hare.io'))).toBe(
    'Read 2 names. Not names: 192.0.2.1. Left out: 1 line without a name.',
  );
  expect(summaryOf(readText('my great idea'))).toBe(
    'Read as mygreatidea. Or as my-great-idea; or 3 names: my, great, idea.',
  );
  expect(summaryOf(readText('fox.com\nhare.io\nnot a name'))).toContain('Not names: not a name.');
});

it.each(
  ['(', '- ', '*', ' ', '1', 'a,', 'a ', '[a](', '<a ', '1.', 'a\t', '$1,1', 'a.b ', '🦊']
    .concat(
      '{a,b}',
      'a{',
      'a_',
      '<!--',
      '/*',
      'a;\n',
      'a(',
      '.com, ',
      'Pros:\n',
      'a: b\n',
      'is a ',
      '①',
    )
    .map((part) => [part]),
)('ends soon for a text that repeats %j', (part) => {
  readText(part.repeat(20_000));
  readText(`${part.repeat(10_000)}\n${part.repeat(10_000)}`);
});

it.each(
  ['-', "'", '!', ')', '?', '1,', '\t', 'ﷺ', '[', '1. '].flatMap((part) => [
    [part, '', 'x'],
    [part, 'a', '.com'],
    [part, '[](', '\nx.com'],
    [part, '', `a\n${'a\tb\n'.repeat(10_000)}`],
  ]),
)('ends soon for a text that repeats %j between %j and %j', (part, before, after) => {
  readText(before + part.repeat(30_000) + after);
});

it('reads full names that begin like a marker, a title, a greeting or a comment', () => {
  const words =
    'option idea name no choice suggestion variant domain brand host url best regards hope thanks i v x a 1 12 or and vs note price rank status http www2 e g dot';
  const names = words
    .split(' ')
    .flatMap((word) => ['', '1', 'a', 's', '-x'].map((end) => `${word}${end}.com`));
  for (const separator of ['\n', '\r\n', ', ', ' ', ';', '\t'])
    for (let at = 0; at < names.length; at += 2) {
      const pair = names.slice(at, at + 2);
      expect(namesOf(readText(pair.join(separator)))).toEqual(pair);
    }
});
