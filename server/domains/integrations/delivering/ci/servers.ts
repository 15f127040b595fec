import { isBlank, payloadOf, shortRef, type MergeRequestPayload, type PushPayload } from '../payload.ts'
import { textOf, type Delivery, type Vendor } from '../delivery.ts'
import { send } from '../channel.ts'
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
  async (occasion) => {
    const order = isWorth(occasion) ? request(occasion) : undefined
    return order ? [await send(occasion, order)] : []
  }

function account(delivery: Delivery) {
  const user = textOf(delivery, 'username')
  return user === '' ? {} : { basic: { user, password: textOf(delivery, 'password') } }
}

/** Jenkins takes the payloads of webhooks at the address of a project, folders and all. */
export const jenkins: Vendor = async (occasion) => {
  const path = textOf(occasion, 'project_name').split('/').map(encodeURIComponent).join('/')
  const request = { payload: true, headers: eventHeaders(occasion), ...account(occasion) } as const
  return [
    await send(occasion, { url: below(textOf(occasion, 'jenkins_url'), `project/${path}`), ...request }),
  ]
}

export const drone = builds((occasion) => ({
  url: withQuery(below(textOf(occasion, 'drone_url'), 'hook'), {
    owner: occasion.project.namespace_full_path,
    name: occasion.project.path,
    access_token: textOf(occasion, 'token'),
  }),
  payload: true,
  headers: eventHeaders(occasion),
}))

/** Buildkite shows a token for webhooks and one for statuses, with a colon between. */
export const buildkite = builds((occasion) => {
  const pipeline = textOf(occasion, 'project_url')
  if (!URL.canParse(pipeline)) return undefined
  const { protocol, host } = new URL(pipeline)
  const token = textOf(occasion, 'token').split(':', 1)[0]!
  return {
    url: `${protocol}//webhook.${host}/deliver/${encodeURIComponent(token)}`,
    payload: true,
    headers: eventHeaders(occasion),
    isSecretAddress: true,
  }
})

export const teamcity = builds((occasion) => ({
  url: below(textOf(occasion, 'teamcity_url'), 'httpAuth/app/rest/buildQueue'),
  headers: { 'Content-Type': 'application/xml' },
  body: `<build branchName=${attribute(branchOf(occasion))}><buildType id=${attribute(textOf(occasion, 'build_type'))}/></build>`,
  ...account(occasion),
}))

/** A value of XML, quotes included. */
function attribute(value: string): string {
  const signs: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return `"${value.replace(/[&<>"]/g, (sign) => signs[sign]!)}"`
}

export const bamboo = builds((occasion) => ({
  method: 'GET',
  url: withQuery(below(textOf(occasion, 'bamboo_url'), 'updateAndBuild.action'), {
    buildKey: textOf(occasion, 'build_key'),
    // Otherwise it asks for a form.
    ...(textOf(occasion, 'username') === '' ? {} : { os_authType: 'basic' }),
  }),
  ...account(occasion),
}))
