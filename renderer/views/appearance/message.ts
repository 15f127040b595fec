import type { Item, Params } from '../../api/client.ts'
import { THEMES, type Theme } from '../../composables/appearance/broadcasts.ts'
import { t } from '../../locales/t.ts'

export type Message = Item<'GET /broadcast_messages'>
export type MessageInput = Params<'POST /broadcast_messages'>

/** Answers that show messages. */
export const STALE = ['GET /broadcast_messages', 'GET /-/broadcast_messages']

export const THEME_OPTIONS = (Object.keys(THEMES) as Theme[]).map((value) => ({
  value,
  label: value.replace('light-', `${t('common.light')} `).replace(/^./, (first) => first.toUpperCase()),
}))

/**
 * Whether a message is current, future or past. A message that the server calls active is current, even if the local clock
 * differs.
 */
export const stateOf = (
  message: Pick<Message, 'starts_at' | 'ends_at'> & { active?: boolean },
  now: number,
): 'now' | 'later' | 'over' => {
  if (Date.parse(message.ends_at) <= now) return 'over'
  return !message.active && Date.parse(message.starts_at) > now ? 'later' : 'now'
}

const two = (value: number) => String(value).padStart(2, '0')

/** A moment as a field for date and time has it: in the time of this machine, `2026-11-22T09:30`. */
export const localText = (iso: string): string => {
  const date = new Date(iso)
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`
}

/** A message as the form has it. */
export type MessageDraft = {
  message: string
  broadcast_type: 'banner' | 'notification'
  theme: Theme
  color: string
  font: string
  target_path: string
  target_access_levels: number[]
  dismissable: boolean
  starts: string
  ends: string
}

const HOUR_MS = 3_600_000

/** A new draft, for an hour from now, or one of a message that is there. */
export const draftOf = (message: Message | null, now: number): MessageDraft => ({
  message: message?.message ?? '',
  broadcast_type: message?.broadcast_type ?? 'banner',
  theme: (message?.theme ?? 'indigo') as Theme,
  color: message?.color ?? '',
  font: message?.font ?? '',
  target_path: message?.target_path ?? '',
  target_access_levels: [...(message?.target_access_levels ?? [])],
  dismissable: message?.dismissable ?? true,
  starts: localText(message?.starts_at ?? new Date(now).toISOString()),
  ends: localText(message?.ends_at ?? new Date(now + HOUR_MS).toISOString()),
})

const momentOf = (text: string): string | undefined => (text ? new Date(text).toISOString() : undefined)

/** The request for a draft; an unchanged time keeps its seconds, and a new message starts now. */
export const inputOf = (draft: MessageDraft, before: MessageDraft): MessageInput => ({
  message: draft.message.trim(),
  broadcast_type: draft.broadcast_type,
  theme: draft.theme,
  color: draft.color || null,
  font: draft.font || null,
  target_path: draft.target_path.trim() || null,
  target_access_levels: draft.target_access_levels as MessageInput['target_access_levels'],
  dismissable: draft.dismissable,
  ...(draft.starts === before.starts ? {} : { starts_at: momentOf(draft.starts) }),
  ...(draft.ends === before.ends ? {} : { ends_at: momentOf(draft.ends) }),
})
