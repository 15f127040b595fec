import type { Kind } from '../../webhooks/index.ts'
import { family, field, type Field, required, secret, server, SSL } from './declare.ts'

const CODE: readonly Kind[] = ['push', 'merge_request', 'tag_push']

export const ciServers = family(
  'ci_server',
  {
    slug: 'bamboo',
    title: 'Atlassian Bamboo',
    description: 'Pushes start a build plan.',
    fields: [
      server('bamboo_url', 'Address of the server'),
      required('build_key', 'Key of the build plan'),
      required('username', 'User name'),
      secret('password', 'Password'),
      SSL,
    ],
    events: ['push'],
  },
  {
    slug: 'buildkite',
    title: 'Buildkite',
    description: 'Pushes, tags and merge requests start a pipeline.',
    fields: [
      secret('token', 'Token', { help: 'Buildkite shows it when the repository is connected.' }),
      server('project_url', 'Address of the pipeline', {
        help: 'For example `https://buildkite.com/example/pipeline`.',
      }),
      { ...SSL, help: 'Has no effect; kept for older clients.', is_hidden: true },
    ],
    events: CODE,
  },
  {
    slug: 'drone-ci',
    title: 'Drone',
    description: 'Pushes, tags and merge requests start Drone builds.',
    fields: [secret('token', 'Token'), server('drone_url', 'Address of the server'), SSL],
    events: CODE,
  },
  {
    slug: 'jenkins',
    title: 'Jenkins',
    description: 'Pushes, tags and merge requests start a Jenkins project.',
    fields: [
      server('jenkins_url', 'Address of the server'),
      required('project_name', 'Name of the Jenkins project', {
        help: 'The name in its URL, such as `example/main`.',
      }),
      field('username', 'User name'),
      secret('password', 'Password', { is_required: false }),
      SSL,
    ],
    events: CODE,
  },
  {
    slug: 'mock-ci',
    title: 'MockCI',
    description: 'A CI server for tests.',
    fields: [server('mock_service_url', 'Address of the server', { is_destination: false }), SSL],
    events: ['push'],
    is_hidden: true,
  },
  {
    slug: 'teamcity',
    title: 'JetBrains TeamCity',
    description: 'Pushes and merge requests start a build.',
    fields: [
      server('teamcity_url', 'Address of the server'),
      required('build_type', 'ID of the build configuration'),
      required('username', 'User name'),
      secret('password', 'Password'),
      SSL,
    ],
    events: ['push', 'merge_request'],
  },
)

const DATADOG: readonly Field[] = [
  secret('api_key', 'API key'),
  field('datadog_site', 'Site', {
    default: 'datadoghq.com',
    is_destination: true,
    pattern: /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i,
    help: 'Used if no address of the API is given.',
  }),
  field('api_url', 'Address of the API', { format: 'address', is_destination: true }),
  field('datadog_service', 'Service', { help: 'Distinguishes several instances.' }),
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
    description: 'Pipelines and jobs are sent to Datadog.',
    fields: DATADOG,
    events: ['pipeline', 'job'],
    flags: ['archive_trace_events'],
  },
  {
    slug: 'github',
    title: 'GitHub',
    description: 'Pipeline results become commit statuses at GitHub.',
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
    description: 'A monitoring server for tests.',
    fields: [server('mock_service_url', 'Address of the server', { is_destination: false })],
    is_hidden: true,
  },
  {
    slug: 'prometheus',
    title: 'Prometheus',
    description: 'A Prometheus server that monitors the deployments of the project.',
    fields: [
      required('api_url', 'Address of the server', { format: 'address', is_destination: true }),
      field('google_iap_audience_client_id', 'Client ID of the proxy'),
      secret('google_iap_service_account_json', 'Key of the service account', {
        type: 'lines',
        is_required: false,
      }),
    ],
  },
)
