import { atLeastOne, endpoint } from '../../../http/endpoint.ts'
import { bool, choice, int, intChoice, list, text, timestamp } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { BroadcastMessage, ShownMessage } from './entity.ts'
import { createMessage, getMessage, removeMessage, updateMessage } from './service.ts'
import * as store from '../store.ts'

const THEMES = [
  'indigo',
  'light-indigo',
  'blue',
  'light-blue',
  'green',
  'light-green',
  'red',
  'light-red',
  'dark',
  'light',
] as const

const idParam = { id: int({ min: 1 }).describe('Id of the message') }
const color = (about: string) =>
  text({ max: 16 }).nullable().optional().describe(`${about}, \`#rgb\` or \`#rrggbb\``)
const fields = {
  starts_at: timestamp().optional().describe('When it begins to be shown (default now)'),
  ends_at: timestamp().optional().describe('The end of the period (default an hour after its start)'),
  color: color('Background'),
  font: color('Text'),
  theme: choice(...THEMES)
    .optional()
    .describe('Colors, where none are given'),
  target_access_levels: list(intChoice(10, 20, 30, 40, 50))
    .optional()
    .describe('Only for users with these roles in the project or group of the page'),
  target_path: text({ max: 255 })
    .nullable()
    .optional()
    .describe('Only on these addresses; `*` stands for any part'),
  broadcast_type: choice('banner', 'notification').optional().describe('Above the page, or in its corner'),
  dismissable: bool().optional().describe('Whether users can dismiss the message'),
}
const message = text({ max: 10_000 }).describe('The text of the message in Markdown')
const INVALID = 'A value is not acceptable: `{"message": {"<field>": ["…"]}}`'

export const listMessages = endpoint('GET /broadcast_messages', {
  summary: 'List all broadcast messages',
  can: 'anyone',
  returns: page(BroadcastMessage),
  run: ({ db, paging }) => store.list(db, paging),
})

export const showMessage = endpoint('GET /broadcast_messages/:id', {
  summary: 'Get a single broadcast message',
  can: 'anyone',
  params: idParam,
  returns: ok(BroadcastMessage),
  run: ({ params, ...ctx }) => getMessage(ctx, params.id),
})

export const create = endpoint('POST /broadcast_messages', {
  summary: 'Create a broadcast message',
  can: 'admin',
  params: { message, ...fields },
  fails: { 400: INVALID },
  returns: created(BroadcastMessage),
  run: ({ params, ...ctx }) => createMessage(ctx, params),
})

export const update = endpoint('PUT /broadcast_messages/:id', {
  summary: 'Update a broadcast message',
  can: 'admin',
  params: { ...idParam, message: message.optional(), ...fields },
  together: [atLeastOne('message', ...Object.keys(fields))],
  fails: { 400: INVALID },
  returns: ok(BroadcastMessage),
  run: ({ params: { id, ...changes }, ...ctx }) => updateMessage(ctx, getMessage(ctx, id), changes),
})

export const remove = endpoint('DELETE /broadcast_messages/:id', {
  summary: 'Delete a broadcast message',
  can: 'admin',
  params: idParam,
  returns: noContent,
  run: ({ params, ...ctx }) => removeMessage(ctx, getMessage(ctx, params.id)),
})

export const shown = endpoint('GET /-/broadcast_messages', {
  summary: 'List current and future broadcast messages for the window',
  can: 'anyone',
  whileBarred: true,
  returns: page(ShownMessage, { paging: 'none' }),
  run: ({ db, now }) => {
    const rows = store.notOver(db, now)
    return { rows, total: rows.length }
  },
})
