import { send } from '../channel.ts'
import { type Delivery, listOf, textOf, type Vendor } from '../delivery.ts'
import { outcomeOf } from '../messages/pipeline.ts'
import { payloadOf, type PipelinePayload } from '../payload.ts'
import { below, projectUrl, withQuery } from '../urls.ts'
import { eventHeaders } from './headers.ts'

/** Packagist: that the package of this repository is to be read again. */
export const packagist: Vendor = async (delivery) => [
  await send(delivery, {
    url: withQuery(below(textOf(delivery, 'server') || 'https://packagist.org', 'api/update-package'), {
      username: textOf(delivery, 'username'),
      apiToken: textOf(delivery, 'token'),
    }),
    payload: true,
    headers: eventHeaders(delivery),
  }),
]

/** Datadog: how pipelines and jobs go. */
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

/** The words that the other side has for statuses of commits; what is left out is not told. */
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

/** GitHub: the status of the pipeline's commit in a copy of the repository there. */
export const github: Vendor = async (delivery) => {
  const { object_attributes: pipeline } = payloadOf<PipelinePayload>(delivery)
  const place = placeOf(textOf(delivery, 'repository_url'))
  const state = STATES[pipeline.status]
  if (!place || !state) return []
  return [
    await send(delivery, {
      url: `${place.api}/repos/${place.path}/statuses/${pipeline.sha}`,
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

/** The name under which statuses stand: the same for every branch, or one for each. */
function contextOf(delivery: Delivery, ref: string): string {
  const name = `ci/${new URL(delivery.ctx.config.url).hostname}`
  return delivery.settings['static_context'] === false ? `${name}/${ref}` : name
}

/** Where the API of a repository is, and its path there. */
function placeOf(repository: string): { api: string; path: string } | undefined {
  if (!URL.canParse(repository)) return undefined
  const { protocol, host, pathname } = new URL(repository)
  const path = /^\/([^/]+\/[^/]+?)(?:\.git)?\/?$/.exec(pathname)?.[1]
  if (!path) return undefined
  return { api: host === 'github.com' ? 'https://api.github.com' : `${protocol}//${host}/api/v3`, path }
}
