import { decimal, flag, line, whole, wholeOrNone } from './params-kinds.ts'
import { list } from './params-lists.ts'
import type { Setting } from './types.ts'

/** What the instance sends to other hosts by itself. */
export const network = {
  silent_mode_enabled: flag(
    false,
    'Silent mode',
    'Nothing is sent out: no e-mails, webhooks, integrations or mirrors.',
  ),
  allow_local_requests_from_web_hooks_and_services: flag(
    false,
    'Webhooks may reach the local network',
    'And integrations and mirrors. This machine and private networks, where other services may trust it.',
  ),
  allow_local_requests_from_system_hooks: flag(
    true,
    'System hooks may reach the local network',
    'Only administrators set up system hooks.',
  ),
  outbound_local_requests_whitelist: list(
    [],
    'Local places that may be reached all the same',
    'Hosts, addresses or blocks of addresses (10.0.0.0/8), with a port if wanted.',
    { empty: 'none' },
  ),
  deny_all_requests_except_allowed: flag(
    false,
    'Only the places above may be reached',
    'Whether local or not.',
  ),
  dns_rebinding_protection_enabled: flag(
    true,
    'Names of hosts are looked up once',
    'So that a name cannot mean another address between the check and the request.',
  ),
  push_event_hooks_limit: whole(
    3,
    'Branches of a push that are told of',
    'With more, or more tags, webhooks and integrations are left out. 0 leaves them out always.',
    { min: 0 },
  ),
  asset_proxy_enabled: flag(
    false,
    'Pictures of other hosts go through a proxy',
    'So that they do not learn who reads a text.',
    { needs: ['asset_proxy_url'] },
  ),
  asset_proxy_url: line(null, 'Address of the proxy', 'Of a camo server.', { empty: 'none', max: 1024 }),
  asset_proxy_allowlist: list([], 'Hosts without the proxy', 'The instance itself is always one.', {
    empty: 'none',
    below: 'asset_proxy_enabled',
  }),
  globally_allowed_ips: line(null, 'Addresses that reach every group', 'Where groups limit addresses.', {
    empty: 'none',
    effect: 'echo',
  }),
  static_objects_external_storage_url: line(
    null,
    'Address that raw files and archives are given at',
    'A network of servers in front of the instance.',
    { empty: 'the instance', max: 1024, effect: 'echo' },
  ),
  allow_all_integrations: flag(true, 'All integrations may be used', 'Otherwise those of the list below.', {
    effect: 'echo',
  }),
  allowed_integrations: list([], 'Integrations that may be used', 'By their names in addresses.', {
    empty: 'none',
    effect: 'echo',
  }),
} satisfies Record<string, Setting>

/** Other services that the instance asks. */
export const services = {
  external_authorization_service_enabled: flag(
    false,
    'Another service decides who may see projects',
    'It is asked for each user and label.',
    {
      needs: [
        'external_authorization_service_default_label',
        'external_authorization_service_url',
        'external_authorization_service_timeout',
      ],
    },
  ),
  external_authorization_service_url: line(null, 'Address of the service', 'Asked with the label.', {
    empty: 'none',
    max: 1024,
  }),
  external_authorization_service_default_label: line(null, 'Label of projects', 'That have none.', {
    empty: 'none',
  }),
  external_auth_client_cert: line(null, 'Certificate for it', 'PEM.', {
    empty: 'none',
    max: 100_000,
    effect: 'echo',
    below: 'external_authorization_service_enabled',
  }),
  external_authorization_service_timeout: decimal(
    0.5,
    'Time that it has to answer',
    'Then access is refused.',
    {
      unit: 'seconds',
      above: 0,
      max: 10,
    },
  ),
  geo_node_allowed_ips: line(
    '0.0.0.0/0, ::/0',
    'Addresses of other sites',
    'Where an instance has several.',
    {
      effect: 'echo',
    },
  ),
  geo_status_timeout: wholeOrNone(10, 'Other sites answer within', 'Otherwise they are unwell.', {
    unit: 'seconds',
    above: 0,
    effect: 'echo',
  }),
} satisfies Record<string, Setting>
