import { decimal, flag, line, integer, integerOrNull } from './params-kinds.ts'
import { list } from './params-lists.ts'
import type { Setting } from './types.ts'

/** Requests of the instance to other hosts. */
export const network = {
  silent_mode_enabled: flag(
    false,
    'Silent mode',
    'Stops all outbound communication: emails, webhooks, integrations, and mirrors.',
  ),
  allow_local_requests_from_web_hooks_and_services: flag(
    false,
    'Allow requests to the local network from webhooks and integrations',
    'Also applies to mirrors. Local services might trust requests from this computer.',
  ),
  allow_local_requests_from_system_hooks: flag(
    true,
    'Allow requests to the local network from system hooks',
    'Only administrators can create system hooks.',
  ),
  outbound_local_requests_whitelist: list(
    [],
    'Local IP addresses and domain names that hooks and integrations can access',
    'Host names, IP addresses, or ranges such as 10.0.0.0/8, with an optional port.',
    { empty: 'none' },
  ),
  deny_all_requests_except_allowed: flag(
    false,
    'Block all requests, except for allowed IP addresses and domain names',
    'Applies to local and public addresses.',
  ),
  dns_rebinding_protection_enabled: flag(
    true,
    'Enforce DNS-rebinding attack protection',
    'Resolves host names once and sends the request to the checked IP address.',
  ),
  push_event_hooks_limit: integer(
    3,
    'Push event hooks limit',
    'Pushes that change more branches or tags trigger no webhooks or integrations. 0 disables them for all pushes.',
    { min: 0 },
  ),
  asset_proxy_enabled: flag(
    false,
    'Enable the asset proxy',
    'Loads external images through the proxy, which hides the IP address of the reader.',
    { needs: ['asset_proxy_url'] },
  ),
  asset_proxy_url: line(null, 'Asset proxy URL', 'URL of the camo server.', { empty: 'none', max: 1024 }),
  asset_proxy_allowlist: list(
    [],
    'Asset proxy allowlist',
    'Images of these domains load directly. The instance itself is always included.',
    {
      empty: 'none',
      below: 'asset_proxy_enabled',
    },
  ),
  globally_allowed_ips: line(
    null,
    'Globally-allowed IP ranges',
    'Can access groups that restrict IP addresses.',
    {
      empty: 'none',
      effect: 'echo',
    },
  ),
  static_objects_external_storage_url: line(
    null,
    'External storage URL for static objects',
    'Serves raw files and archives from a CDN.',
    { empty: 'the instance', max: 1024, effect: 'echo' },
  ),
  allow_all_integrations: flag(
    true,
    'Allow all integrations',
    'If off, only the integrations in the list below are available.',
    {
      effect: 'echo',
    },
  ),
  allowed_integrations: list([], 'Allowed integrations', 'List of integration names as in the API.', {
    empty: 'none',
    effect: 'echo',
  }),
} satisfies Record<string, Setting>

/** External services. */
export const services = {
  external_authorization_service_enabled: flag(
    false,
    'Enable external authorization',
    'An external service controls access to projects by their classification label.',
    {
      needs: [
        'external_authorization_service_default_label',
        'external_authorization_service_url',
        'external_authorization_service_timeout',
      ],
    },
  ),
  external_authorization_service_url: line(
    null,
    'External authorization service URL',
    'Receives the user and the classification label.',
    {
      empty: 'none',
      max: 1024,
    },
  ),
  external_authorization_service_default_label: line(
    null,
    'Default classification label',
    'Used for projects without a label.',
    {
      empty: 'none',
    },
  ),
  external_auth_client_cert: line(
    null,
    'Client authentication certificate',
    'X.509 certificate in PEM format.',
    {
      empty: 'none',
      max: 100_000,
      effect: 'echo',
      below: 'external_authorization_service_enabled',
    },
  ),
  external_authorization_service_timeout: decimal(
    0.5,
    'External authorization request timeout',
    'After the timeout access is denied.',
    {
      unit: 'seconds',
      above: 0,
      max: 10,
    },
  ),
  geo_node_allowed_ips: line(
    '0.0.0.0/0, ::/0',
    'Allowed Geo IP addresses',
    'IP addresses of other Geo sites.',
    {
      effect: 'echo',
    },
  ),
  geo_status_timeout: integerOrNull(
    10,
    'Geo connection timeout',
    'Sites that answer later are reported as unhealthy.',
    {
      unit: 'seconds',
      above: 0,
      effect: 'echo',
    },
  ),
} satisfies Record<string, Setting>
