// Shows the OpenAPI document of this gateway with Scalar. Served without a build step.
/* global Scalar */

// Requests go to the gateway that serves the page, which may be below a path of a proxy.
const gatewayUrl = new URL('..', location.href).href.replace(/\/$/, '');

Scalar.createApiReference('#reference', {
  url: `${gatewayUrl}/openapi.json`,
  servers: [{ url: gatewayUrl }],
  theme: 'none',
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  hideDarkModeToggle: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'none',
  showSidebar: false,
  hideSearch: true,
  defaultOpenFirstTag: true,
  hiddenClients: {
    c: true,
    clojure: true,
    csharp: true,
    objc: true,
    ocaml: true,
    powershell: true,
    r: true,
    dart: true,
    fsharp: true,
  },
});
