import { DIAGRAM_EMBED_ADDRESS } from '../../../lib/aliases.ts'
import { flag, line, integer, requiredText } from './params-kinds.ts'
import { list, numbers } from './params-lists.ts'
import type { SettingOptions, Bounds, Setting } from './types.ts'

// These functions declare settings that are only stored for the API and have no effect.
const on = (label: string, help: string, about: SettingOptions = {}) =>
  flag(true, label, help, { effect: 'echo', ...about })
const off = (label: string, help: string, about: SettingOptions = {}) =>
  flag(false, label, help, { effect: 'echo', ...about })
const text = (label: string, help: string, about: SettingOptions & { max?: number } = {}) =>
  line(null, label, help, { effect: 'echo', empty: 'none', max: 1024, ...about })
const count = (initial: number, label: string, help: string, about: SettingOptions & Bounds = {}) =>
  integer(initial, label, help, { effect: 'echo', ...about })

/** Spam and bots. */
export const spam = {
  spamcheck_enabled: off('Enable Akismet', 'Checks issues and comments for spam.', {
    needs: ['spamcheck_api_key'],
  }),
  spam_check_endpoint_enabled: off('Enable Spam Check via external API endpoint', '', {
    needs: ['spam_check_endpoint_url', 'spam_check_api_key'],
  }),
  spam_check_endpoint_url: text('URL of the external Spam Check endpoint', 'Starts with grpc:// or tls://.'),
  recaptcha_enabled: off('Enable reCAPTCHA', 'Adds a reCAPTCHA to forms.', {
    needs: ['recaptcha_site_key', 'recaptcha_private_key'],
  }),
  login_recaptcha_protection_enabled: off(
    'Enable reCAPTCHA for login',
    'Applies after failed sign-in attempts.',
  ),
} satisfies Record<string, Setting>

/** Settings of an external search engine. */
export const search = {
  elasticsearch_search: off('Search with Elasticsearch enabled', 'Deskforge has its own search.'),
  elasticsearch_indexing: off('Elasticsearch indexing', ''),
  elasticsearch_pause_indexing: off('Pause Elasticsearch indexing', ''),
  elasticsearch_url: list(['http://localhost:9200'], 'Elasticsearch URL', 'One or more URLs.', {
    effect: 'echo',
    empty: 'none',
  }),
  elasticsearch_username: text('Elasticsearch username', ''),
  elasticsearch_aws: off('Use AWS OpenSearch Service with IAM credentials', ''),
  elasticsearch_aws_region: text('Elasticsearch AWS region', ''),
  elasticsearch_aws_access_key: text('Elasticsearch AWS access key', ''),
  elasticsearch_indexed_field_length_limit: count(
    0,
    'Maximum indexed field length',
    'Number of characters. 0 means no limit.',
    {
      min: 0,
    },
  ),
  elasticsearch_indexed_file_size_limit_kb: count(1024, 'Maximum indexed file size', '', {
    unit: 'KB',
    above: 0,
  }),
  elasticsearch_limit_indexing: off('Limit the namespaces and projects to index', ''),
  elasticsearch_namespace_ids: numbers([], 'Namespaces to index', 'IDs of the namespaces.', {
    effect: 'echo',
    empty: 'none',
  }),
  elasticsearch_project_ids: numbers([], 'Projects to index', 'IDs of the projects.', {
    effect: 'echo',
    empty: 'none',
  }),
  elasticsearch_max_bulk_concurrency: count(10, 'Elasticsearch bulk request concurrency', '', { above: 0 }),
  elasticsearch_max_bulk_size_mb: count(10, 'Maximum Elasticsearch bulk request size', '', {
    unit: 'MB',
    above: 0,
  }),
  elasticsearch_max_code_indexing_concurrency: count(30, 'Maximum code indexing concurrency', '', {
    min: 0,
  }),
  elasticsearch_requeue_workers: off('Requeue indexing workers', ''),
  elasticsearch_worker_number_of_shards: count(2, 'Number of shards for non-code indexing', '', {
    min: 1,
    max: 1024,
  }),
  elasticsearch_client_request_timeout: count(
    0,
    'Elasticsearch client request timeout',
    '0 means the default of the client.',
    {
      unit: 'seconds',
      min: 0,
    },
  ),
  elasticsearch_retry_on_failure: count(0, 'Elasticsearch retries on failure', '', { min: 0 }),
  elasticsearch_shards: count(5, 'Number of Elasticsearch shards', '', { above: 0 }),
  elasticsearch_replicas: count(1, 'Number of Elasticsearch replicas', '', { min: 0 }),
  elasticsearch_analyzers_kuromoji_enabled: off('Enable Japanese kuromoji indexing', ''),
  elasticsearch_analyzers_kuromoji_search: off('Enable Japanese kuromoji search', ''),
  elasticsearch_analyzers_smartcn_enabled: off('Enable Chinese smartcn indexing', ''),
  elasticsearch_analyzers_smartcn_search: off('Enable Chinese smartcn search', ''),
} satisfies Record<string, Setting>

/** Links to external tools, and usage data. */
export const tools = {
  diagramB_enabled: on('Enable Diagrams.net', 'Edits diagrams in Markdown texts.', {
    needs: ['diagramB_url'],
  }),
  diagramB_url: line(DIAGRAM_EMBED_ADDRESS, 'Diagrams.net URL', '', {
    effect: 'echo',
    empty: 'none',
    max: 1024,
  }),
  gitpod_enabled: off('Enable Gitpod integration', '', { needs: ['gitpod_url'] }),
  gitpod_url: line('https://gitpod.io/', 'Gitpod URL', '', {
    effect: 'echo',
    empty: 'none',
    max: 1024,
  }),
  sourcegraph_enabled: off('Enable Sourcegraph', '', {
    needs: ['sourcegraph_url'],
  }),
  sourcegraph_url: text('Sourcegraph URL', ''),
  sourcegraph_public_only: on(
    'Block on private and internal projects',
    'Only public projects use Sourcegraph.',
    {
      below: 'sourcegraph_enabled',
    },
  ),
  web_ide_clientside_preview_enabled: off('Live Preview in the Web IDE', ''),
  grafana_enabled: off('Add a link to Grafana', ''),
  grafana_url: requiredText('/-/grafana', 'Grafana URL', 'URL or path.', { effect: 'echo' }),
  tracker_connect_application_key: text('Jira Connect Application ID', ''),
  tracker_connect_proxy_url: text('Jira Connect Proxy URL', ''),
  tracker_connect_public_key_storage_enabled: off('Enable public key storage for Jira Connect', ''),
  slack_app_enabled: off('Enable Slack app', 'Independent of the Slack integrations of projects.', {
    needs: ['slack_app_id', 'slack_app_secret', 'slack_app_verification_token'],
  }),
  eks_integration_enabled: off('Enable Amazon EKS integration', '', {
    needs: ['eks_account_id', 'eks_access_key_id', 'eks_secret_access_key'],
  }),
  eks_account_id: text('AWS account ID', 'Twelve digits.', { max: 255 }),
  eks_access_key_id: text('AWS access key ID', '16 to 128 characters.', { max: 128 }),
  receptive_cluster_agents_enabled: off('Enable receptive mode of cluster agents', ''),
  error_tracking_enabled: off('Enable error tracking', '', {
    needs: ['error_tracking_api_url'],
  }),
  error_tracking_api_url: text('Error tracking API URL', ''),
  sentry_enabled: off('Enable Sentry error tracking', '', {
    needs: ['sentry_dsn', 'sentry_environment'],
  }),
  sentry_dsn: text('Sentry DSN', '', { max: 255 }),
  sentry_clientside_dsn: text('Sentry client-side DSN', '', {
    max: 255,
    below: 'sentry_enabled',
  }),
  sentry_environment: text('Sentry environment', '', { max: 255 }),
  snowplow_enabled: off('Enable Snowplow tracking', '', {
    needs: ['snowplow_collector_hostname'],
  }),
  snowplow_collector_hostname: text('Snowplow collector hostname', '', { max: 255 }),
  snowplow_database_collector_hostname: text('Snowplow database collector hostname', '', {
    max: 255,
    below: 'snowplow_enabled',
  }),
  snowplow_cookie_domain: text('Snowplow cookie domain', 'For example .example.com.', {
    max: 255,
    below: 'snowplow_enabled',
  }),
  snowplow_app_id: text('Snowplow app ID', '', {
    max: 255,
    below: 'snowplow_enabled',
  }),
  usage_ping_enabled: off('Enable Service Ping', 'Deskforge sends no usage data.'),
  usage_ping_features_enabled: off('Enable Registration Features', ''),
  include_optional_metrics_in_service_ping: off('Include optional data in Service Ping', ''),
  pseudonymizer_enabled: off('Enable pseudonymizer data collection', ''),
  use_clickhouse_for_analytics: off('Use ClickHouse for analytics', ''),
  version_check_enabled: on('Enable version check', 'Deskforge does not look up new releases.'),
  duo_features_enabled: off('Enable Duo features', ''),
  lock_duo_features_enabled: off('Enforce the Duo setting for all groups and projects', ''),
  secret_detection_token_revocation_enabled: off('Revoke leaked secrets', '', {
    needs: [
      'secret_detection_token_revocation_url',
      'secret_detection_token_revocation_token',
      'secret_detection_revocation_token_types_url',
    ],
  }),
  secret_detection_token_revocation_url: text('Token revocation service URL', ''),
  secret_detection_revocation_token_types_url: text('Revocable token types URL', ''),
  silent_admin_exports_enabled: off(
    'Enable silent admin exports',
    'Exports by administrators send no notification.',
  ),
} satisfies Record<string, Setting>
