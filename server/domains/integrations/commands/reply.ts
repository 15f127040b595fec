import type { Ctx } from '../../../ctx.ts'
import type { Project } from '../../projects/index.ts'

/** What a chat shows for a command. */
export interface ChatAnswer {
  /** `in_channel`: everybody sees it; `ephemeral`: whoever said the command. */
  readonly response_type: 'in_channel' | 'ephemeral'
  readonly text: string
  readonly attachments?: readonly ChatAttachment[]
}

/** A box below the text. */
export interface ChatAttachment {
  readonly fallback: string
  readonly title: string
  readonly title_link: string
  readonly text: string
  readonly color: string
  readonly fields: readonly { title: string; value: string; short: boolean }[]
  readonly mrkdwn_in: readonly string[]
}

/** How a chat writes. */
export interface ChatMarkup {
  link(text: string, url: string): string
  /** A text of somebody, so that nothing in it is read as more than text. */
  plain(text: string): string
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** `<url|text>`; three signs are all that has a meaning. */
const slack: ChatMarkup = {
  link: (text, url) => `<${url}|${escaped(text).replaceAll('|', '¦')}>`,
  plain: escaped,
}

const markdown: ChatMarkup = {
  link: (text, url) => `[${text.replace(/([[\]\\])/g, '\\$1')}](${url})`,
  plain: (text) => text.replace(/([\\`*_[\]<>~|@])/g, '\\$1'),
}

/** How the chat of an integration writes. */
export function markupOf(slug: string): ChatMarkup {
  return slug.startsWith('mattermost') ? markdown : slack
}

/** For whoever said the command alone. */
export function privateReply(text: string): ChatAnswer {
  return { response_type: 'ephemeral', text }
}

/** For everybody in the channel. */
export function publicReply(text: string, attachments?: readonly ChatAttachment[]): ChatAnswer {
  return { response_type: 'in_channel', text, ...(attachments ? { attachments } : {}) }
}

/** A command that somebody said in a chat, in whose name it is carried out. */
export interface CommandContext {
  readonly ctx: Ctx
  readonly project: Project
  readonly tongue: ChatMarkup
  /** What stands in front of the words there: `/forge`. */
  readonly trigger: string
  readonly channel: string
  readonly chat_user_id: string
}

/** One command: how it is written, and what it does. */
export interface Command {
  readonly pattern: RegExp
  /** For the help. */
  readonly usage: string
  /** Whether the actor may say it here at all; who may not is not told of it. */
  may(said: CommandContext): boolean
  run(said: CommandContext, words: Readonly<Record<string, string>>): ChatAnswer | Promise<ChatAnswer>
}
