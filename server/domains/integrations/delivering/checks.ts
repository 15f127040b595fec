import { addressesIn, sendTestMail } from '../../mail/index.ts'
import { type Request, send } from './channel.ts'
import { type Delivery, textOf } from './delivery.ts'
import { checkJira } from './jira/index.ts'
import { below } from './urls.ts'

type Check = (delivery: Delivery) => Promise<{ is_ok: boolean; message: string }>

/** Asks a server for something that has to be there. */
const answers =
  (request: (delivery: Delivery) => Request): Check =>
  async (delivery) => {
    const { is_ok, status, error } = await send(delivery, { method: 'GET', ...request(delivery) })
    const isThere = is_ok && status !== null && status < 300
    return { is_ok: isThere, message: error ?? `The other side answered ${status}.` }
  }

/** A mail to the first of the recipients, at once, so that its fate is known. */
const mail: Check = async (delivery) => {
  const [to] = addressesIn(textOf(delivery, 'recipients'))
  return to === undefined
    ? { is_ok: false, message: 'There is no e-mail address among the recipients.' }
    : sendTestMail(delivery.ctx, to)
}

/** What is tried without an event, by slug. */
export const CHECKS: ReadonlyMap<string, Check> = new Map([
  ['jira', checkJira],
  ['emails-on-push', mail],
  ['pipelines-email', mail],
  [
    'harbor',
    answers((delivery) => ({
      url: below(
        textOf(delivery, 'url'),
        `api/v2.0/projects/${encodeURIComponent(textOf(delivery, 'project_name'))}`,
      ),
      basic: { user: textOf(delivery, 'username'), password: textOf(delivery, 'password') },
    })),
  ],
  [
    'prometheus',
    answers((delivery) => ({ url: below(textOf(delivery, 'api_url'), 'api/v1/query?query=1') })),
  ],
])
