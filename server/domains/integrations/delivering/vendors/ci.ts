import { EVENT_HEADER, EVENT_INSTANCE_HEADER } from '../../../../lib/aliases.ts'
import {
  send,
  joinUrl,
  type Delivery,
  listOf,
  projectUrl,
  textOf,
  type Vendor,
  withQuery,
} from '../channel.ts'
import { outcomeOf } from '../messages/pipeline.ts'
import {
  isBlank,
  type MergeRequestPayload,
  payloadOf,
  type PipelinePayload,
  type PushPayload,
  shortRef,
} from '../payload.ts'

/** True if there is code to build: pushed commits, or the commits of an open merge request. */
function hasCode(delivery: Delivery): boolean {
  if (delivery.kind !== 'merge_request') return !isBlank(payloadOf<PushPayload>(delivery).after)
  const { state, action, oldrev } = payloadOf<MergeRequestPayload>(delivery).object_attributes
  return state === 'opened' && (action === 'open' || action === 'reopen' || Boolean(oldrev))
}

/** The branch to build. */
function branchOf(delivery: Delivery): string {
  if (delivery.kind !== 'merge_request') return shortRef(payloadOf<PushPayload>(delivery).ref)
  return payloadOf<MergeRequestPayload>(delivery).object_attributes.source_branch
}

/** A vendor that builds code. It gets only events with code to build. */
const buildServer =
  (request: (delivery: Delivery) => Parameters<typeof send>[1] | undefined): Vendor =>
  async (delivery) => {
    const call = hasCode(delivery) ? request(delivery) : undefined
    return call ? [await send(delivery, call)] : []
  }

function basicAuth(delivery: Delivery) {
  const user = textOf(delivery, 'username')
  return user === '' ? {} : { basic: { user, password: textOf(delivery, 'password') } }
}

/** Jenkins: the webhook payload, sent to the URL of a project and its folders. */
export const jenkins: Vendor = async (delivery) => {
  const path = textOf(delivery, 'project_name').split('/').map(encodeURIComponent).join('/')
  const request = { payload: true, headers: eventHeaders(delivery), ...basicAuth(delivery) } as const
  return [
    await send(delivery, { url: joinUrl(textOf(delivery, 'jenkins_url'), `project/${path}`), ...request }),
  ]
}

export const drone = buildServer((delivery) => ({
  url: withQuery(joinUrl(textOf(delivery, 'drone_url'), 'hook'), {
    owner: delivery.project.namespace_full_path,
    name: delivery.project.path,
    access_token: textOf(delivery, 'token'),
  }),
  payload: true,
  headers: eventHeaders(delivery),
}))

/** Buildkite: the setting contains a token for webhooks and one for statuses, separated by a colon. */
export const buildkite = buildServer((delivery) => {
  const pipeline = textOf(delivery, 'project_url')
  if (!URL.canParse(pipeline)) return undefined
  const { protocol, host } = new URL(pipeline)
  const token = textOf(delivery, 'token').split(':', 1)[0]!
  return {
    url: `${protocol}//webhook.${host}/deliver/${encodeURIComponent(token)}`,
    payload: true,
    headers: eventHeaders(delivery),
    isSecretAddress: true,
  }
})

export const teamcity = buildServer((delivery) => ({
  url: joinUrl(textOf(delivery, 'teamcity_url'), 'httpAuth/app/rest/buildQueue'),
  headers: { 'Content-Type': 'application/xml' },
  body: `<build branchName=${attribute(branchOf(delivery))}><buildType id=${attribute(textOf(delivery, 'build_type'))}/></build>`,
  ...basicAuth(delivery),
}))

/** A quoted attribute value of XML. */
function attribute(value: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return `"${value.replace(/[&<>"]/g, (char) => entities[char]!)}"`
}

export const bamboo = buildServer((delivery) => ({
  method: 'GET',
  url: withQuery(joinUrl(textOf(delivery, 'bamboo_url'), 'updateAndBuild.action'), {
    buildKey: textOf(delivery, 'build_key'),
    // Without this parameter the server requires a form login.
    ...(textOf(delivery, 'username') === '' ? {} : { os_authType: 'basic' }),
  }),
  ...basicAuth(delivery),
}))

/** Headers that describe a webhook payload (spec administration 3.7). */
export function eventHeaders({ ctx, kind }: Delivery): Record<string, string> {
  const words = kind.split('_').map((word) => word[0]!.toUpperCase() + word.slice(1))
  return { [EVENT_HEADER]: `${words.join(' ')} Hook`, [EVENT_INSTANCE_HEADER]: ctx.config.url }
}

/** Packagist: updates the package of the repository. */
export const packagist: Vendor = async (delivery) => [
  await send(delivery, {
    url: withQuery(joinUrl(textOf(delivery, 'server') || 'https://packagist.org', 'api/update-package'), {
      username: textOf(delivery, 'username'),
      apiToken: textOf(delivery, 'token'),
    }),
    payload: true,
    headers: eventHeaders(delivery),
  }),
]

/** Datadog: pipelines and jobs. */
export const datadog: Vendor = async (delivery) => {
  const site = textOf(delivery, 'datadog_site') || 'datadoghq.com'
  const base = textOf(delivery, 'api_url') || `https://webhook-intake.${site}/api/v2/webhook`
  if (!URL.canParse(base)) return []
  const url = withQuery(base, {
    'dd-api-key': textOf(delivery, 'api_key'),
    service: textOf(delivery, 'datadog_service'),
    env: textOf(delivery, 'datadog_env'),
    tags: listOf(delivery, 'datadog_tags', /\n/).join(','),
  })
  return [await send(delivery, { url, payload: true, headers: eventHeaders(delivery) })]
}

/** GitHub's states for our commit statuses. Other statuses are not sent. */
const STATES: Readonly<Record<string, string>> = {
  created: 'pending',
  waiting_for_resource: 'pending',
  preparing: 'pending',
  pending: 'pending',
  scheduled: 'pending',
  manual: 'pending',
  running: 'pending',
  success: 'success',
  skipped: 'success',
  failed: 'failure',
  canceled: 'error',
}

/** GitHub: the pipeline's status on its commit in a copy of the repository. */
export const github: Vendor = async (delivery) => {
  const { object_attributes: pipeline } = payloadOf<PipelinePayload>(delivery)
  const repository = githubRepository(textOf(delivery, 'repository_url'))
  const state = STATES[pipeline.status]
  if (!repository || !state) return []
  return [
    await send(delivery, {
      url: `${repository.api}/repos/${repository.path}/statuses/${pipeline.sha}`,
      headers: {
        Accept: 'application/vnd.github+json',
        Authorization: `Bearer ${textOf(delivery, 'token')}`,
      },
      json: {
        state,
        target_url: pipeline.url ?? `${projectUrl(delivery)}/-/pipelines/${pipeline.id}`,
        description: `Pipeline ${outcomeOf(pipeline)}`,
        context: contextOf(delivery, pipeline.ref),
      },
    }),
  ]
}

/** The context of the status: one for all branches, or one per branch. */
function contextOf(delivery: Delivery, ref: string): string {
  const name = `ci/${new URL(delivery.ctx.config.url).hostname}`
  return delivery.settings['static_context'] === false ? `${name}/${ref}` : name
}

/** The API URL of a repository's server, and the repository's path there. */
function githubRepository(repository: string): { api: string; path: string } | undefined {
  if (!URL.canParse(repository)) return undefined
  const { protocol, host, pathname } = new URL(repository)
  const path = /^\/([^/]+\/[^/]+?)(?:\.git)?\/?$/.exec(pathname)?.[1]
  if (!path) return undefined
  return { api: host === 'github.com' ? 'https://api.github.com' : `${protocol}//${host}/api/v3`, path }
}
