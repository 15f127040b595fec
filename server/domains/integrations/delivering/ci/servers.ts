import { send } from '../channel.ts'
import { type Delivery, textOf, type Vendor } from '../delivery.ts'
import { isBlank, type MergeRequestPayload, payloadOf, type PushPayload, shortRef } from '../payload.ts'
import { below, withQuery } from '../urls.ts'
import { eventHeaders } from './headers.ts'

/** Whether there is something to build: code that came, of a branch or for an open merge request. */
function isWorth(delivery: Delivery): boolean {
  if (delivery.kind !== 'merge_request') return !isBlank(payloadOf<PushPayload>(delivery).after)
  const { state, action, oldrev } = payloadOf<MergeRequestPayload>(delivery).object_attributes
  return state === 'opened' && (action === 'open' || action === 'reopen' || Boolean(oldrev))
}

/** The branch that is to be built. */
function branchOf(delivery: Delivery): string {
  if (delivery.kind !== 'merge_request') return shortRef(payloadOf<PushPayload>(delivery).ref)
  return payloadOf<MergeRequestPayload>(delivery).object_attributes.source_branch
}

/** A server that is told only of what it can build. */
const builds =
  (request: (delivery: Delivery) => Parameters<typeof send>[1] | undefined): Vendor =>
  async (delivery) => {
    const order = isWorth(delivery) ? request(delivery) : undefined
    return order ? [await send(delivery, order)] : []
  }

function account(delivery: Delivery) {
  const user = textOf(delivery, 'username')
  return user === '' ? {} : { basic: { user, password: textOf(delivery, 'password') } }
}

/** Jenkins takes the payloads of webhooks at the address of a project, folders and all. */
export const jenkins: Vendor = async (delivery) => {
  const path = textOf(delivery, 'project_name').split('/').map(encodeURIComponent).join('/')
  const request = { payload: true, headers: eventHeaders(delivery), ...account(delivery) } as const
  return [
    await send(delivery, { url: below(textOf(delivery, 'jenkins_url'), `project/${path}`), ...request }),
  ]
}

export const drone = builds((delivery) => ({
  url: withQuery(below(textOf(delivery, 'drone_url'), 'hook'), {
    owner: delivery.project.namespace_full_path,
    name: delivery.project.path,
    access_token: textOf(delivery, 'token'),
  }),
  payload: true,
  headers: eventHeaders(delivery),
}))

/** Buildkite shows a token for webhooks and one for statuses, with a colon between. */
export const buildkite = builds((delivery) => {
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

export const teamcity = builds((delivery) => ({
  url: below(textOf(delivery, 'teamcity_url'), 'httpAuth/app/rest/buildQueue'),
  headers: { 'Content-Type': 'application/xml' },
  body: `<build branchName=${attribute(branchOf(delivery))}><buildType id=${attribute(textOf(delivery, 'build_type'))}/></build>`,
  ...account(delivery),
}))

/** A value of XML, quotes included. */
function attribute(value: string): string {
  const signs: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return `"${value.replace(/[&<>"]/g, (sign) => signs[sign]!)}"`
}

export const bamboo = builds((delivery) => ({
  method: 'GET',
  url: withQuery(below(textOf(delivery, 'bamboo_url'), 'updateAndBuild.action'), {
    buildKey: textOf(delivery, 'build_key'),
    // Otherwise it asks for a form.
    ...(textOf(delivery, 'username') === '' ? {} : { os_authType: 'basic' }),
  }),
  ...account(delivery),
}))
