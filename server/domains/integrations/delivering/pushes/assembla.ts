import { textOf, type Vendor } from '../occasion.ts'
import { send } from '../outlet.ts'

/** Assembla: the payload, for the tool of a space that takes pushes. */
export const assembla: Vendor = async (occasion) => {
  const space = textOf(occasion, 'subdomain')
  const key = new URLSearchParams({ secret_key: textOf(occasion, 'token') })
  return [
    await send(occasion, {
      url: `https://atlas.assembla.com/spaces/${encodeURIComponent(space)}/github_tool?${key}`,
      json: { payload: occasion.payload },
    }),
  ]
}
