import { family, field, type Field, required, secret, server } from './declare.ts'

const DATADOG: readonly Field[] = [
  secret('api_key', 'API key'),
  field('datadog_site', 'Site', {
    default: 'datadoghq.com',
    is_destination: true,
    pattern: /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i,
    help: 'Unless an address of the API is given.',
  }),
  field('api_url', 'Address of the API', { format: 'address', is_destination: true }),
  field('datadog_service', 'Service', { help: 'Tells several instances apart.' }),
  field('datadog_env', 'Environment'),
  field('datadog_tags', 'Tags', {
    type: 'lines',
    pattern: /^\s*(?:[^:\s][^:\n]*:[^\n]*\S\s*(?:\n|$))*$/,
    help: 'One `key:value` per line.',
  }),
]

export const monitoring = family(
  'monitoring',
  {
    slug: 'datadog',
    title: 'Datadog',
    description: 'Pipelines and jobs are told to Datadog.',
    fields: DATADOG,
    events: ['pipeline', 'job'],
    flags: ['archive_trace_events'],
  },
  {
    slug: 'github',
    title: 'GitHub',
    description: 'How pipelines go is told as statuses of commits.',
    fields: [
      secret('token', 'Personal access token', { help: 'With the scope `repo:status`.' }),
      server('repository_url', 'Address of the repository'),
      field('static_context', 'The same name for all branches', { type: 'boolean', default: true }),
    ],
    events: ['pipeline'],
  },
  {
    slug: 'mock-monitoring',
    title: 'MockMonitoring',
    description: 'A monitoring server for trials.',
    fields: [server('mock_service_url', 'Address of the server', { is_destination: false })],
    is_hidden: true,
  },
  {
    slug: 'prometheus',
    title: 'Prometheus',
    description: 'A Prometheus server that watches what the project runs.',
    fields: [
      required('api_url', 'Address of the server', { format: 'address', is_destination: true }),
      field('google_iap_audience_client_id', 'Client id of the proxy'),
      secret('google_iap_service_account_json', 'Key of the service account', {
        type: 'lines',
        is_required: false,
      }),
    ],
  },
)
