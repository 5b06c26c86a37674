// cspell:ignore certspotter crtsh crtname hackertarget threatminer testssl rdns

/**
 * The bodies of the site endpoints as clients of the public API declare them. A member with `?` may be
 * absent there. Strings with a format are strings.
 */
export interface Subdomains {
  readonly domain: string;
  readonly subdomains: readonly {
    readonly name: string;
    readonly source: CertificateSource;
    readonly first_seen: string | null;
    readonly verified: boolean;
    readonly dns_records: { readonly A?: readonly string[]; readonly CNAME?: string | null } | null;
  }[];
  readonly wildcards?: readonly {
    readonly pattern: string;
    readonly source: 'ct' | 'crtsh' | 'certspotter';
    readonly first_seen: string | null;
  }[];
  readonly summary: {
    readonly total_found?: number;
    readonly returned?: number;
    readonly verified_count?: number;
    readonly sources_used?: readonly CertificateSource[];
    readonly unverified_count?: number;
    readonly apex_included?: boolean;
    readonly wildcard_suppressed_count?: number;
    readonly wildcard_returned_count?: number;
  };
  readonly intelligence_summary: {
    readonly data_sources?: readonly CertificateSource[];
    readonly source_count?: number;
    readonly cache_status?: 'live' | 'fresh_cache' | 'stale_cache';
    readonly returned_count?: number;
    readonly total_found?: number;
    readonly truncated?: boolean;
    readonly limit?: number;
    readonly verification_requested?: boolean;
    readonly include_wildcards?: boolean;
    readonly verified_count?: number;
    readonly verified_ratio?: number | null;
    readonly warning_count?: number;
  };
  readonly warnings?: readonly string[];
  readonly meta: {
    readonly query_time_ms?: number;
    readonly cached?: boolean;
    readonly stale?: boolean;
  };
}

type CertificateSource =
  'ct' | 'crtsh' | 'crtname' | 'hackertarget' | 'threatminer' | 'wayback' | 'certspotter';

export interface Tech {
  readonly url: string;
  readonly technologies: readonly {
    readonly id: string;
    readonly name: string;
    readonly category: string;
    readonly version?: string;
    readonly version_kind?: 'product' | 'asset' | 'protocol' | 'edge_build';
    readonly confidence: 'high' | 'medium' | 'low';
    readonly confidence_score: number;
    readonly evidence: string;
    readonly source_count: number;
    readonly caveats: readonly string[];
    readonly evidence_details: readonly {
      readonly source: Signal | AddedSignal;
      readonly key?: string;
      readonly matched: string;
      readonly page_url?: string;
    }[];
  }[];
  readonly checked_at: string;
  readonly detection_summary: object;
  readonly ssl: { readonly enabled: boolean };
  readonly analysis: object;
  readonly summary: {
    readonly cdn?: string;
    readonly server?: string;
    readonly framework?: string;
    readonly cms?: string;
    readonly hosting?: string;
    readonly platform?: string;
    readonly analytics?: readonly string[];
  };
  readonly headers: Readonly<Record<string, string>>;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly total_time_ms: number;
  readonly _meta: object;
}

type Signal =
  'header' | 'cookie' | 'html' | 'asset_url' | 'network_url' | 'javascript' | 'meta' | 'url';
/** The gateway's own, which the guide lists. */
type AddedSignal = 'cname' | 'nameserver' | 'implied';

type Confidence = 'high' | 'medium' | 'low' | 'none';

export interface Categorize {
  readonly url?: string;
  readonly primary_category_id?: string | null;
  readonly primary_category?: string | null;
  readonly primary_category_confidence?: Confidence;
  readonly categories?: readonly {
    readonly category?: string;
    readonly subcategory?: string | null;
    readonly category_id?: string;
    readonly subcategory_id?: string | null;
    readonly confidence?: number;
    readonly keywords_found?: readonly string[];
    readonly signals?: readonly { readonly source?: string; readonly evidence?: string }[];
  }[];
  readonly title?: string | null;
  readonly description?: string | null;
  readonly language?: string | null;
  readonly language_confidence?: Confidence;
  readonly adult_content?: boolean;
  readonly signals_used?: number;
  readonly total_time_ms?: number;
  readonly cached?: boolean;
  readonly checked_at?: string;
  readonly meta?: { readonly served_by?: string; readonly cache_status?: 'miss' | 'hit' | 'stale' };
}

interface Identity {
  readonly platform: string;
  readonly type: 'social' | 'developer' | 'creator' | 'app_store' | 'federated' | 'other';
  readonly handle?: string | null;
  readonly url: string;
  readonly source: 'same_as' | 'rel_me' | 'homepage_link';
  readonly confidence: 'high' | 'medium';
}

interface WebMeta {
  readonly checked_at: string;
  readonly cached: boolean;
  readonly fetch_transport: 'worker' | 'edge_relay';
  readonly fetch_error?: 'timeout' | 'network_error';
}

interface Contacts {
  readonly emails?: readonly string[];
  readonly phones?: readonly string[];
}

type FetchState = 'ok' | 'blocked' | 'http_error' | 'non_html' | 'empty';

export interface IdentityAssets {
  readonly domain: string;
  readonly website_url: string;
  readonly fetch_state: FetchState;
  readonly organization_name?: string | null;
  readonly assets: {
    readonly logo_url?: string | null;
    readonly logo_source?: string | null;
    readonly logo_kind?: 'logo' | 'mask_icon' | 'touch_icon' | null;
    readonly logo_verification?: 'verified' | 'unverified' | null;
    readonly favicon_url?: string | null;
    readonly touch_icon_url?: string | null;
    readonly preview_image_url?: string | null;
    readonly manifest_url?: string | null;
    readonly theme_color?: string | null;
    readonly candidates?: readonly {
      readonly url?: string;
      readonly kind?: string;
      readonly source?: string;
      readonly type?: string | null;
      readonly sizes?: string | null;
      readonly score?: number;
      readonly confidence?: 'high' | 'medium' | 'low';
    }[];
  };
  readonly social_profiles: readonly Identity[];
  readonly confidence: number;
  readonly evidence: readonly string[];
  readonly meta: WebMeta;
}

export interface IdentityResolution {
  readonly query: string;
  readonly canonical_domain: string;
  readonly website_url: string;
  readonly fetch_state: FetchState | 'unknown';
  readonly organization: { readonly name?: string | null; readonly description?: string | null };
  readonly identities: readonly Identity[];
  readonly contacts: Contacts;
  readonly confidence: number;
  readonly evidence: {
    readonly declared_identity_count: number;
    readonly high_confidence_count: number;
    readonly medium_confidence_count: number;
    readonly sources: readonly string[];
  };
  readonly meta: WebMeta;
}

export interface UrlIntelligence {
  readonly requested_url: string;
  readonly final_url: string;
  readonly status: number;
  readonly fetch_state: FetchState;
  readonly content_type?: string | null;
  readonly redirects?: number;
  readonly title?: string | null;
  readonly description?: string | null;
  readonly canonical_url?: string | null;
  readonly language?: string | null;
  readonly favicon_url?: string | null;
  readonly preview_image_url?: string | null;
  readonly manifest_url?: string | null;
  readonly theme_color?: string | null;
  readonly open_graph: Readonly<Record<string, string>>;
  readonly twitter_card: Readonly<Record<string, string>>;
  readonly structured_data: {
    readonly types?: readonly string[];
    readonly items?: number;
    readonly parse_errors?: number;
  };
  readonly robots: {
    readonly meta?: readonly string[];
    readonly header?: readonly string[];
    readonly indexable?: boolean | null;
  };
  readonly security_headers?: Readonly<Record<string, string | null>>;
  readonly links: {
    readonly total?: number;
    readonly internal?: number;
    readonly external?: number;
  };
  readonly social_profiles: readonly Identity[];
  readonly contacts: Contacts;
  readonly meta: WebMeta;
}

type AgentSignalName =
  | 'webmcp'
  | 'remote_mcp'
  | 'openapi'
  | 'llms_txt'
  | 'api_catalog'
  | 'mcp_server_card'
  | 'agent_skills'
  | 'oauth'
  | 'markdown'
  | 'web_bot_auth'
  | 'sitemap_markdown'
  | 'agent_guide';

export interface AgentReadiness {
  readonly requested_url: string;
  readonly final_url: string;
  readonly checked_at: string;
  readonly outcome: 'complete' | 'partial' | 'unavailable';
  readonly fetch_state: FetchState | 'unknown';
  readonly http_status: number | null;
  readonly foundations: object;
  readonly summary: {
    readonly detected_signals: number;
    readonly total_signals: 12;
    readonly coverage:
      'broad' | 'multi_channel' | 'single_channel' | 'none_detected' | 'indeterminate';
    readonly score: number | null;
    readonly confidence: number;
    readonly rating: 'excellent' | 'good' | 'fair' | 'needs_improvement' | 'indeterminate';
  };
  readonly signals: Readonly<
    Record<
      AgentSignalName,
      {
        readonly status: 'detected' | 'not_detected' | 'unknown' | 'unchecked';
        readonly checked_url: string | null;
        readonly http_status: number | null;
        readonly evidence: readonly string[];
        readonly validation:
          'confirmed' | 'advertised' | 'malformed' | 'runtime_required' | 'not_applicable';
        readonly method: string;
        readonly caveats: readonly string[];
      }
    >
  >;
  readonly dimensions: object;
  readonly checks: object;
  readonly recommendations: readonly object[];
  readonly meta: {
    readonly probe_count: number;
    readonly max_probes: number;
    readonly cached: boolean;
    readonly duration_ms: number;
    readonly body_truncated: boolean;
    readonly source_version: string;
  };
}

interface Finding {
  readonly id?: string;
  readonly severity?: string;
  readonly finding?: string;
  readonly cve?: string;
  readonly cwe?: string;
}

export interface DeepScan {
  readonly status?: 'pending' | 'ready' | 'error';
  readonly domain?: string;
  readonly host?: string;
  readonly port?: number;
  readonly profile?: 'standard' | 'full';
  readonly scan_token?: string;
  readonly message?: string;
  readonly poll_after_ms?: number;
  readonly error?: { readonly message?: string; readonly retryable?: boolean };
  readonly result?: {
    readonly domain?: string;
    readonly host?: string;
    readonly port?: number;
    readonly engine?: {
      readonly name?: string;
      readonly mode?: 'testssl' | 'builtin';
      readonly version?: string | null;
      readonly profile?: 'standard' | 'full';
    };
    readonly target?: {
      readonly ip?: string | null;
      readonly service?: string | null;
      readonly rdns?: string | null;
    };
    readonly summary?: {
      readonly severity_counts?: Readonly<
        Partial<Record<'critical' | 'high' | 'medium' | 'low' | 'info' | 'ok' | 'warn', number>>
      >;
      readonly actionable_findings?: number;
      readonly protocols_offered?: readonly string[];
      readonly deprecated_protocols?: readonly string[];
      readonly supports_tls_1_3?: boolean;
      readonly supports_http2?: boolean | null;
      readonly supports_http3?: boolean | null;
    };
    readonly sections?: Readonly<
      Partial<
        Record<
          | 'pretest'
          | 'protocols'
          | 'server_defaults'
          | 'cipher_categories'
          | 'forward_secrecy'
          | 'server_preferences'
          | 'vulnerabilities'
          | 'browser_simulations'
          | 'rating',
          readonly Finding[]
        >
      >
    >;
    readonly findings?: readonly (Finding & { readonly section?: string })[];
    readonly checked_at?: string;
    readonly scan_duration_ms?: number;
    readonly notes?: readonly string[];
  };
}

export interface Certificates {
  readonly domain?: string;
  readonly certificates?: readonly {
    readonly id?: string;
    readonly issuer?: Readonly<Record<string, unknown>>;
    readonly common_name?: string;
    readonly san?: readonly string[];
    readonly not_before?: string;
    readonly not_after?: string;
    readonly is_expired?: boolean;
    readonly is_wildcard?: boolean;
    readonly fingerprint_sha256?: string;
  }[];
  readonly summary?: {
    readonly total_found?: number;
    readonly returned?: number;
    readonly unique_subdomains?: number;
    readonly issuers?: readonly string[];
    readonly earliest_cert?: string | null;
    readonly latest_cert?: string | null;
  };
  readonly pagination?: {
    readonly limit?: number;
    readonly offset?: number;
    readonly returned?: number;
    readonly total?: number;
    readonly has_more?: boolean;
    readonly next_cursor?: string | null;
  };
  readonly meta?: Readonly<Record<string, unknown>>;
}

export interface Blacklist {
  readonly domains?: readonly string[];
  readonly total?: number;
  readonly limit?: number;
  readonly offset?: number;
  readonly metadata?: {
    readonly last_updated?: string;
    readonly total_domains?: number;
    readonly sources?: readonly string[];
    readonly refresh_status?: 'fresh' | 'degraded' | 'stale' | 'static_fallback';
  };
}
