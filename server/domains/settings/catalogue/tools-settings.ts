import { DIAGRAM_EMBED_ADDRESS } from '../../../lib/aliases.ts'
import { flag, line, whole, word } from './params-kinds.ts'
import { list, numbers } from './params-lists.ts'
import type { About, Bounds, Setting } from './types.ts'

/** What is stored for other tools and changes nothing here. */
const on = (label: string, help: string, about: About = {}) =>
  flag(true, label, help, { effect: 'echo', ...about })
const off = (label: string, help: string, about: About = {}) =>
  flag(false, label, help, { effect: 'echo', ...about })
const text = (label: string, help: string, about: About & { max?: number } = {}) =>
  line(null, label, help, { effect: 'echo', empty: 'none', max: 1024, ...about })
const count = (initial: number, label: string, help: string, about: About & Bounds = {}) =>
  whole(initial, label, help, { effect: 'echo', ...about })

/** Spam and robots. */
export const visitors = {
  spamcheck_enabled: off('Issues and comments are checked for spam', 'By a service elsewhere.', {
    needs: ['spamcheck_api_key'],
  }),
  spam_check_endpoint_enabled: off('A newer service checks for spam', 'At its own address.', {
    needs: ['spam_check_endpoint_url', 'spam_check_api_key'],
  }),
  spam_check_endpoint_url: text('Address of that service', 'Begins with grpc:// or tls://.'),
  recaptcha_enabled: off('Forms ask a captcha', 'Of a service elsewhere.', {
    needs: ['recaptcha_site_key', 'recaptcha_private_key'],
  }),
  login_recaptcha_protection_enabled: off('Signing in asks a captcha', 'After wrong passwords.'),
} satisfies Record<string, Setting>

/** An external search engine. */
export const search = {
  elasticsearch_search: off('Searches ask a search engine', 'The search of this application needs none.'),
  elasticsearch_indexing: off('The search engine is notified of changes', 'For its index.'),
  elasticsearch_pause_indexing: off('Indexing is paused', 'Changes wait until it goes on.'),
  elasticsearch_url: list(['http://localhost:9200'], 'Addresses of the search engine', 'One or several.', {
    effect: 'echo',
    empty: 'none',
  }),
  elasticsearch_username: text('User name at the search engine', 'With its password.'),
  elasticsearch_aws: off('The search engine is in the cloud', 'Requests are signed.'),
  elasticsearch_aws_region: text('Region of the cloud', 'Where it is.'),
  elasticsearch_aws_access_key: text('Access key of the cloud', 'For the search engine.'),
  elasticsearch_indexed_field_length_limit: count(0, 'Characters of a text that are found', '0 for all.', {
    min: 0,
  }),
  elasticsearch_indexed_file_size_limit_kb: count(1024, 'Largest file that is found', 'By its size.', {
    unit: 'KB',
    above: 0,
  }),
  elasticsearch_limit_indexing: off('Only some groups and projects are found', 'Those below.'),
  elasticsearch_namespace_ids: numbers([], 'Groups that are found', 'By their numbers.', {
    effect: 'echo',
    empty: 'none',
  }),
  elasticsearch_project_ids: numbers([], 'Projects that are found', 'By their numbers.', {
    effect: 'echo',
    empty: 'none',
  }),
  elasticsearch_max_bulk_concurrency: count(10, 'Messages to it at once', 'At most.', { above: 0 }),
  elasticsearch_max_bulk_size_mb: count(10, 'Largest message to it', 'By its size.', {
    unit: 'MB',
    above: 0,
  }),
  elasticsearch_max_code_indexing_concurrency: count(30, 'Repositories read at once', 'For its index.', {
    min: 0,
  }),
  elasticsearch_requeue_workers: off('Work that finds no room waits', 'Instead of failing.'),
  elasticsearch_worker_number_of_shards: count(2, 'Parts that its work is split into', 'At least one.', {
    min: 1,
    max: 1024,
  }),
  elasticsearch_client_request_timeout: count(0, 'It has to answer within', '0 for its own limit.', {
    unit: 'seconds',
    min: 0,
  }),
  elasticsearch_retry_on_failure: count(0, 'Times that it is asked again', 'After a failure.', { min: 0 }),
  elasticsearch_shards: count(5, 'Parts of the index', 'When it is made.', { above: 0 }),
  elasticsearch_replicas: count(1, 'Copies of the index', 'When it is made.', { min: 0 }),
  elasticsearch_analyzers_kuromoji_enabled: off('Japanese texts are taken apart', 'When the index is made.'),
  elasticsearch_analyzers_kuromoji_search: off('Japanese words are searched', 'With that.'),
  elasticsearch_analyzers_smartcn_enabled: off('Chinese texts are taken apart', 'When the index is made.'),
  elasticsearch_analyzers_smartcn_search: off('Chinese words are searched', 'With that.'),
} satisfies Record<string, Setting>

/** Links to tools elsewhere, and figures that are sent away. */
export const tools = {
  diagramB_enabled: on('An editor of diagrams elsewhere', 'In texts.', { needs: ['diagramB_url'] }),
  diagramB_url: line(DIAGRAM_EMBED_ADDRESS, 'Address of that editor', 'Where it is loaded from.', {
    effect: 'echo',
    empty: 'none',
    max: 1024,
  }),
  gitpod_enabled: off('Projects are opened in Gitpod', 'By a button.', { needs: ['gitpod_url'] }),
  gitpod_url: line('https://gitpod.io/', 'Address of Gitpod', 'Where the button leads.', {
    effect: 'echo',
    empty: 'none',
    max: 1024,
  }),
  sourcegraph_enabled: off('Code is looked up in Sourcegraph', 'While reading it.', {
    needs: ['sourcegraph_url'],
  }),
  sourcegraph_url: text('Address of Sourcegraph', 'Where it is asked.'),
  sourcegraph_public_only: on('Only code of public projects', 'Is looked up there.', {
    below: 'sourcegraph_enabled',
  }),
  web_ide_clientside_preview_enabled: off('Pages are tried in the editor', 'Through a service elsewhere.'),
  grafana_enabled: off('A link to Grafana', 'For administrators.'),
  grafana_url: word('/-/grafana', 'Address of Grafana', 'An address or a path.', { effect: 'echo' }),
  tracker_connect_application_key: text('Key of the application at the tracker', 'Of the vendor’s cloud.'),
  tracker_connect_proxy_url: text('Address that the tracker reaches', 'In front of the instance.'),
  tracker_connect_public_key_storage_enabled: off(
    'The instance keeps public keys of trackers',
    'For others.',
  ),
  slack_app_enabled: off('A chat application of the instance', 'Its integration in projects is another.', {
    needs: ['slack_app_id', 'slack_app_secret', 'slack_app_verification_token'],
  }),
  eks_integration_enabled: off('Clusters in the cloud can be made', 'With the account below.', {
    needs: ['eks_account_id', 'eks_access_key_id', 'eks_secret_access_key'],
  }),
  eks_account_id: text('Number of the account', 'Twelve digits.', { max: 255 }),
  eks_access_key_id: text('Access key of the account', '16 to 128 characters.', { max: 128 }),
  receptive_cluster_agents_enabled: off('Clusters are called', 'Instead of calling.'),
  error_tracking_enabled: off('Errors of projects are collected', 'By a separate service.', {
    needs: ['error_tracking_api_url'],
  }),
  error_tracking_api_url: text('Address of that service', 'Where it is asked.'),
  sentry_enabled: off('Errors of the instance are sent to Sentry', 'This application sends none.', {
    needs: ['sentry_dsn', 'sentry_environment'],
  }),
  sentry_dsn: text('Address at Sentry', 'With its key.', { max: 255 }),
  sentry_clientside_dsn: text('Address for the window', 'With its key.', {
    max: 255,
    below: 'sentry_enabled',
  }),
  sentry_environment: text('Name of the environment', 'As Sentry shows it.', { max: 255 }),
  snowplow_enabled: off('Clicks are counted elsewhere', 'This application counts none.', {
    needs: ['snowplow_collector_hostname'],
  }),
  snowplow_collector_hostname: text('Host that counts', 'Without a path.', { max: 255 }),
  snowplow_database_collector_hostname: text('Host that counts changes', 'Without a path.', {
    max: 255,
    below: 'snowplow_enabled',
  }),
  snowplow_cookie_domain: text('Domain of its cookie', 'Such as .example.com.', {
    max: 255,
    below: 'snowplow_enabled',
  }),
  snowplow_app_id: text('Name of the application there', 'As it is shown.', {
    max: 255,
    below: 'snowplow_enabled',
  }),
  usage_ping_enabled: off('Figures about the use are sent away', 'This application sends none.'),
  usage_ping_features_enabled: off('Features that come with those figures', 'There are none.'),
  include_optional_metrics_in_service_ping: off('Optional figures too', 'This application sends none.'),
  pseudonymizer_enabled: off('Figures without names are written', 'For another database.'),
  use_clickhouse_for_analytics: off('Figures come from ClickHouse', 'Instead of this database.'),
  version_check_enabled: on('New releases are looked up', 'This application looks none up.'),
  duo_features_enabled: off('Features of an assistant', 'This application has none.'),
  lock_duo_features_enabled: off('Nobody changes that', 'In groups and projects.'),
  secret_detection_token_revocation_enabled: off('Leaked secrets are revoked', 'By a service elsewhere.', {
    needs: [
      'secret_detection_token_revocation_url',
      'secret_detection_token_revocation_token',
      'secret_detection_revocation_token_types_url',
    ],
  }),
  secret_detection_token_revocation_url: text('Address of that service', 'It gets the secrets.'),
  secret_detection_revocation_token_types_url: text('Address of the kinds it knows', 'Asked first.'),
  silent_admin_exports_enabled: off('Exports by administrators are not told', 'To those who were exported.'),
} satisfies Record<string, Setting>
