import type { Ctx } from '../../../ctx.ts'
import { addressesIn, sendTestMail } from '../../mail/index.ts'
import type { Project } from '../../projects/index.ts'
import { type HookEvent, type Kind, type DeliveryResult, testEvent } from '../../webhooks/index.ts'
import { catalogueOf, FLAG_OF } from '../catalogue/index.ts'
import { flagsOf } from '../settings.ts'
import type { IntegrationRow } from '../store.ts'
import { type Request, send, joinUrl, type Delivery, textOf } from './channel.ts'
import { deliveryOf, sendDelivery } from './jobs.ts'
import { VENDORS } from './vendors/index.ts'
import { checkJira } from './vendors/issue-comments.ts'

/** The result of a test, with a sentence. */
export interface TestResult {
  readonly is_ok: boolean
  readonly message: string
}

/**
 * Tests an integration: with a harmless request if the vendor has one, otherwise with the newest event of a kind that
 * the integration listens to. Filters do not apply.
 */
export async function testIntegration(ctx: Ctx, project: Project, row: IntegrationRow): Promise<TestResult> {
  const check = CHECKS.get(row.slug)
  if (check) return check(deliveryOf(ctx, project, row, { kind: 'push', payload: {} }))
  if (!VENDORS.has(row.slug))
    return { is_ok: true, message: 'There is nothing to test: this integration sends nothing.' }
  const event = await newestEvent(ctx, project, row)
  if ('problem' in event) return { is_ok: false, message: event.problem }
  return resultOf(await sendDelivery(deliveryOf(ctx, project, row, event)))
}

/** Makes the event of the newest row of the first kind with data in the project. Enabled kinds come first. */
async function newestEvent(
  ctx: Ctx,
  project: Project,
  row: IntegrationRow,
): Promise<HookEvent | { problem: string }> {
  const { events } = catalogueOf(row.slug)
  let problem = 'The integration does not listen to any events.'
  for (const kind of kindsOf(events, row)) {
    const event = await testEvent(ctx, { project }, kind)
    if (!('problem' in event)) return event
    problem = event.problem
  }
  return { problem }
}

function kindsOf(events: readonly Kind[], row: IntegrationRow): readonly Kind[] {
  const flags = flagsOf(row)
  const isOn = (kind: Kind): boolean => {
    const flag = catalogueOf(row.slug).flagOf?.[kind] ?? FLAG_OF[kind]
    return flag === undefined || flags[flag]
  }
  return events.toSorted((a, b) => Number(isOn(b)) - Number(isOn(a)))
}

function resultOf(results: readonly DeliveryResult[]): TestResult {
  if (results.length === 0)
    return {
      is_ok: false,
      message: 'Nothing was sent: the newest event has no content for this integration.',
    }
  const failure = results.find((result) => !isSuccess(result))
  if (failure) {
    const answer = `The service answered ${failure.status}.`
    return { is_ok: false, message: failure.error ?? answer }
  }
  const status = results.at(-1)!.status
  return { is_ok: true, message: status === null ? 'It was sent.' : `The service answered ${status}.` }
}

/**
 * True if a delivery succeeded. A redirect means that the URL is wrong, although the log counts it as success (spec
 * administration 3.5).
 */
function isSuccess({ is_ok, status }: DeliveryResult): boolean {
  return is_ok && (status === null || status < 300)
}

type Check = (delivery: Delivery) => Promise<{ is_ok: boolean; message: string }>

/** Checks that a server answers a request. */
const checkRequest =
  (request: (delivery: Delivery) => Request): Check =>
  async (delivery) => {
    const { is_ok, status, error } = await send(delivery, { method: 'GET', ...request(delivery) })
    const isReachable = is_ok && status !== null && status < 300
    return { is_ok: isReachable, message: error ?? `The service answered ${status}.` }
  }

/** Sends a mail to the first recipient and waits for the result. */
const mail: Check = async (delivery) => {
  const [to] = addressesIn(textOf(delivery, 'recipients'))
  return to === undefined
    ? { is_ok: false, message: 'There is no email address among the recipients.' }
    : sendTestMail(delivery.ctx, to)
}

/** Tests that need no event, by slug. */
export const CHECKS: ReadonlyMap<string, Check> = new Map([
  ['jira', checkJira],
  ['emails-on-push', mail],
  ['pipelines-email', mail],
  [
    'harbor',
    checkRequest((delivery) => ({
      url: joinUrl(
        textOf(delivery, 'url'),
        `api/v2.0/projects/${encodeURIComponent(textOf(delivery, 'project_name'))}`,
      ),
      basic: { user: textOf(delivery, 'username'), password: textOf(delivery, 'password') },
    })),
  ],
  [
    'prometheus',
    checkRequest((delivery) => ({ url: joinUrl(textOf(delivery, 'api_url'), 'api/v1/query?query=1') })),
  ],
])
