const note = 'This site is part of the sandbox. It does not exist on the internet.';

/** Returns the HTML of a home page. `domain` is a host name, so it needs no escapes. */
export function homePage(domain: string, origin: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Sandbox shop at ${domain}</title>
<meta name="description" content="${note}">
<meta name="generator" content="WordPress 6.8.3">
<meta name="theme-color" content="#205080">
<meta property="og:title" content="Sandbox shop">
<meta property="og:type" content="website">
<meta property="og:image" content="${origin}/preview.png">
<meta name="twitter:card" content="summary">
<link rel="canonical" href="${origin}/">
<link rel="icon" href="/favicon.svg" type="image/svg+xml" sizes="any">
<link rel="apple-touch-icon" href="/touch-icon.png" sizes="180x180">
<link rel="manifest" href="/site.webmanifest">
<link rel="service-desc" href="/openapi.json" type="application/json">
<script type="application/ld+json">${JSON.stringify(structuredData(origin))}</script>
</head>
<body>
<h1>Sandbox shop</h1>
<p>${note}</p>
<p><a href="/about">About</a> <a href="https://taken.test/">Another site</a>
<a rel="me" href="https://mastodon.social/@sandbox-example">Mastodon</a></p>
<form toolname="search" tooldescription="Searches the sandbox"><input name="text"></form>
</body>
</html>
`;
}

/** Returns the home page as Markdown. */
export function markdownPage(domain: string): string {
  return `# Sandbox shop at ${domain}\n\n${note}\n`;
}

function structuredData(origin: string) {
  const organization = {
    '@type': 'Organization',
    name: 'Sandbox Example Ltd',
    description: note,
    url: `${origin}/`,
    logo: `${origin}/logo.svg`,
    sameAs: [
      'https://github.com/sandbox-example',
      'https://www.linkedin.com/company/sandbox-example',
    ],
  };
  const website = { '@type': 'WebSite', name: 'Sandbox shop', url: `${origin}/` };
  return { '@context': 'https://schema.org', '@graph': [organization, website] };
}
