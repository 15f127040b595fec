import { z } from 'zod'

import { atLeastOne, endpoint } from '../../../http/endpoint.ts'
import { bool, choice, int, intChoice, list, text, timestamp } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { createMessage, getMessage, removeMessage, updateMessage } from './service.ts'
import * as store from '../store.ts'
import { entity, time } from '../../../http/entity.ts'
import type { MessageRow } from '../store.ts'

const messageFields = {
  id: z.int(),
  message: z.string(),
  starts_at: time(),
  ends_at: time(),
  color: z.string().nullable(),
  font: z.string().nullable(),
  target_access_levels: z.array(z.int()),
  target_path: z.string().nullable(),
  broadcast_type: z.enum(['banner', 'notification']),
  theme: z.string(),
  dismissable: z.boolean(),
}

const fieldsOf = (row: MessageRow) => ({
  id: row.id,
  message: row.message,
  starts_at: row.starts_at,
  ends_at: row.ends_at,
  color: row.color,
  font: row.font,
  target_access_levels: row.target_access_levels,
  target_path: row.target_path,
  broadcast_type: row.broadcast_type,
  theme: row.theme,
  dismissable: row.dismissable,
})

/** A broadcast message (spec administration 13). */
const BroadcastMessage = entity(
  'BroadcastMessage',
  { ...messageFields, active: z.boolean() },
  (row: MessageRow, at) => ({ ...fieldsOf(row), active: row.starts_at <= at.now && at.now < row.ends_at }),
)

/** A broadcast message for the window, which shows the message during its period. */
const WindowBroadcastMessage = entity(
  'WindowBroadcastMessage',
  { ...messageFields, message_html: z.string() },
  (row: MessageRow) => ({ ...fieldsOf(row), message_html: row.message_html }),
)

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

const idParam = { id: int({ min: 1 }).describe('The ID of the message') }
const color = (description: string) =>
  text({ max: 16 }).nullable().optional().describe(`${description}, \`#rgb\` or \`#rrggbb\``)
const fields = {
  starts_at: timestamp()
    .optional()
    .describe('Start of the period in which the message is shown. Defaults to now'),
  ends_at: timestamp().optional().describe('End of the period. Defaults to one hour after its start'),
  color: color('Background color'),
  font: color('Text color'),
  theme: choice(...THEMES)
    .optional()
    .describe('The theme of the message'),
  target_access_levels: list(intChoice(10, 20, 30, 40, 50))
    .optional()
    .describe('Show the message only to users with these roles in the project or group of the page'),
  target_path: text({ max: 255 })
    .nullable()
    .optional()
    .describe('Show the message only on pages with this path. `*` matches any characters'),
  broadcast_type: choice('banner', 'notification')
    .optional()
    .describe('Show the message as a banner above the page, or as a notification in its corner'),
  dismissable: bool().optional().describe('Whether users can dismiss the message'),
}
const message = text({ max: 10_000 }).describe('The text of the message in Markdown')
const INVALID = 'A value is invalid: `{"message": {"<field>": ["…"]}}`'

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
  parameterRules: [atLeastOne('message', ...Object.keys(fields))],
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

export const listForWindow = endpoint('GET /-/broadcast_messages', {
  summary: 'List current and future broadcast messages for the window',
  can: 'anyone',
  allowsRestrictedSession: true,
  returns: page(WindowBroadcastMessage, { paging: 'none' }),
  run: ({ db, now }) => {
    const rows = store.currentAndFuture(db, now)
    return { rows, total: rows.length }
  },
})
