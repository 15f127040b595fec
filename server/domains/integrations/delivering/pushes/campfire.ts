import { textOf, type Vendor } from '../occasion.ts'
import { send } from '../outlet.ts'
import { pushWords } from './words.ts'

/** Campfire: a line said in a room. */
export const campfire: Vendor = async (occasion) => {
  const { what, project, url, isRemoved } = pushWords(occasion)
  const [subdomain, room] = [textOf(occasion, 'subdomain'), textOf(occasion, 'room')]
  if (subdomain === '' || room === '') return []
  const body = `[${project}] ${what}.${isRemoved ? '' : ` ${url}`}`
  return [
    await send(occasion, {
      url: `https://${subdomain}.campfirenow.com/room/${encodeURIComponent(room)}/speak.json`,
      basic: { user: textOf(occasion, 'token'), password: 'X' },
      json: { message: { type: 'TextMessage', body } },
    }),
  ]
}
