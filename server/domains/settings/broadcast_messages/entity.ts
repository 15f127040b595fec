import { z } from 'zod'

import { entity, time } from '../../../http/entity.ts'
import type { MessageRow } from '../store.ts'

const fields = {
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
export const BroadcastMessage = entity(
  'BroadcastMessage',
  { ...fields, active: z.boolean() },
  (row: MessageRow, at) => ({ ...fieldsOf(row), active: row.starts_at <= at.now && at.now < row.ends_at }),
)

/** A broadcast message for the window, which shows the message during its period. */
export const WindowBroadcastMessage = entity(
  'WindowBroadcastMessage',
  { ...fields, message_html: z.string() },
  (row: MessageRow) => ({ ...fieldsOf(row), message_html: row.message_html }),
)
