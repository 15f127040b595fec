import { shortened } from '../messages/message.ts'
import { textOf, type Vendor } from '../occasion.ts'
import { send } from '../outlet.ts'
import { pushWords } from './words.ts'

/** The vendor takes no longer ones. */
const MOST_MESSAGE = 1024
const MOST_TITLE = 250
/** How a message of the highest priority comes back until somebody has seen it, seconds. */
const EMERGENCY = { retry: '60', expire: '3600' }

/** Pushover: a notice on phones. */
export const pushover: Vendor = async (occasion) => {
  const { what, project, url, push } = pushWords(occasion)
  const priority = textOf(occasion, 'priority') || '0'
  const titles = push.commits.map((commit) => `• ${commit.title}`)
  const optional = { device: textOf(occasion, 'device'), sound: textOf(occasion, 'sound') }
  const form = {
    token: textOf(occasion, 'api_key'),
    user: textOf(occasion, 'user_key'),
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== '')),
    priority,
    ...(priority === '2' ? EMERGENCY : {}),
    title: shortened(project, MOST_TITLE),
    message: shortened([`${what}.`, ...titles].join('\n'), MOST_MESSAGE),
    url,
    url_title: `See ${shortened(project, 90)}`,
  }
  return [await send(occasion, { url: 'https://api.pushover.net/1/messages.json', form })]
}
