import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { fail, invalid } from '../../../lib/fail.ts'
import { BroadcastMessageChanged } from '../events.ts'
import * as store from '../store.ts'
import type { MessageColumns, MessageRow } from '../store.ts'

const HOUR_MS = 3_600_000

/** The fields of a broadcast message. */
export interface MessageInput {
  readonly message?: string | undefined
  readonly starts_at?: string | undefined
  readonly ends_at?: string | undefined
  readonly color?: string | null | undefined
  readonly font?: string | null | undefined
  readonly theme?: string | undefined
  readonly target_access_levels?: readonly number[] | undefined
  readonly target_path?: string | null | undefined
  readonly broadcast_type?: 'banner' | 'notification' | undefined
  readonly dismissable?: boolean | undefined
}

/** Returns a message by id. Throws 404. */
export function getMessage(ctx: Ctx, id: number): MessageRow {
  const row = store.byId(ctx.db, id)
  if (!row) throw fail('not_found', '404 Not Found')
  return row
}

/**
 * Creates a message. By default its period is the next hour (spec administration 13). Throws 400 for an invalid
 * field.
 */
export async function createMessage(
  ctx: Ctx,
  input: MessageInput & { message: string },
): Promise<MessageRow> {
  const starts_at = input.starts_at ?? ctx.now
  const ends_at = input.ends_at ?? new Date(Date.parse(starts_at) + HOUR_MS).toISOString()
  checkMessage({ ...input, starts_at, ends_at })
  const columns = { ...(await columnsOf(input)), starts_at, ends_at, message: input.message }
  return tx(ctx.db, () => {
    const row = store.insert(ctx.db, { ...columns, created_at: ctx.now, updated_at: ctx.now })
    publishChange(ctx, row, 'created')
    return row
  })
}

/** Updates a message. Absent fields keep their values. Throws 400 for an invalid field. */
export async function updateMessage(ctx: Ctx, row: MessageRow, input: MessageInput): Promise<MessageRow> {
  checkMessage({ ...row, ...defined(input) })
  const columns = await columnsOf(input)
  return tx(ctx.db, () => {
    getMessage(ctx, row.id)
    const updated = store.update(ctx.db, row.id, { ...columns, updated_at: ctx.now })
    publishChange(ctx, updated, 'updated')
    return updated
  })
}

/** Deletes a message. */
export function removeMessage(ctx: Ctx, row: MessageRow): void {
  tx(ctx.db, () => {
    store.remove(ctx.db, row.id)
    publishChange(ctx, row, 'deleted')
  })
}

function publishChange(ctx: Ctx, row: MessageRow, action: 'created' | 'updated' | 'deleted'): void {
  publish(ctx, BroadcastMessageChanged, { broadcast_message_id: row.id, action, actor_id: ctx.actor.id })
}

function defined<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>
}

function checkMessage(message: {
  message?: string | undefined
  starts_at?: string
  ends_at?: string
  color?: string | null | undefined
  font?: string | null | undefined
}): void {
  if (message.message?.trim() === '') throw invalid({ message: "can't be blank" })
  if (message.ends_at! <= message.starts_at!) throw invalid({ ends_at: 'must be after the start' })
  for (const name of ['color', 'font'] as const)
    if (message[name] && !/^#(?:[0-9a-f]{3}){1,2}$/i.test(message[name]))
      throw invalid({ [name]: 'must be a valid color code' })
}

async function columnsOf(input: MessageInput): Promise<MessageColumns> {
  const { target_access_levels, dismissable, message, ...rest } = input
  return {
    ...defined(rest),
    ...(message === undefined ? {} : { message, message_html: await renderMessage(message) }),
    ...(target_access_levels && { target_access_levels: [...target_access_levels] }),
    ...(dismissable === undefined ? {} : { dismissable }),
  }
}

async function renderMessage(message: string): Promise<string> {
  const { renderMarkdown } = await import('../../../lib/markdown.ts')
  return renderMarkdown(message).trim()
}
