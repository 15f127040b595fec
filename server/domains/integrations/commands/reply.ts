import type { Ctx } from '../../../ctx.ts'
import type { Project } from '../../projects/index.ts'

/** The reply of a chat command. */
export interface ChatAnswer {
  /** `in_channel`: visible to everybody; `ephemeral`: only to the user who typed the command. */
  readonly response_type: 'in_channel' | 'ephemeral'
  readonly text: string
  readonly attachments?: readonly ChatAttachment[]
}

/** An attachment of a reply. Chats show it as a box below the text. */
export interface ChatAttachment {
  readonly fallback: string
  readonly title: string
  readonly title_link: string
  readonly text: string
  readonly color: string
  readonly fields: readonly { title: string; value: string; short: boolean }[]
  readonly mrkdwn_in: readonly string[]
}

/** The markup of a chat. */
export interface ChatMarkup {
  link(text: string, url: string): string
  /** Escapes plain text. */
  plain(text: string): string
}

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Slack: `<url|text>`, and three characters to escape. */
const slack: ChatMarkup = {
  link: (text, url) => `<${url}|${escape(text).replaceAll('|', '¦')}>`,
  plain: escape,
}

const markdown: ChatMarkup = {
  link: (text, url) => `[${text.replace(/([[\]\\])/g, '\\$1')}](${url})`,
  plain: (text) => text.replace(/([\\`*_[\]<>~|@])/g, '\\$1'),
}

/** The markup of an integration's chat. */
export function markupOf(slug: string): ChatMarkup {
  return slug.startsWith('mattermost') ? markdown : slack
}

/** Makes a reply that only the user who typed the command sees. */
export function privateReply(text: string): ChatAnswer {
  return { response_type: 'ephemeral', text }
}

/** Makes a reply that everybody in the channel sees. */
export function publicReply(text: string, attachments?: readonly ChatAttachment[]): ChatAnswer {
  return { response_type: 'in_channel', text, ...(attachments ? { attachments } : {}) }
}

/** The context of a command: the user and the channel. `ctx` acts as the user. */
export interface CommandContext {
  readonly ctx: Ctx
  readonly project: Project
  readonly markup: ChatMarkup
  /** The slash command in the chat: `/forge`. */
  readonly trigger: string
  readonly channel: string
  readonly chat_user_id: string
}

/** A chat command. */
export interface Command {
  readonly pattern: RegExp
  /** The syntax, for the help text. */
  readonly usage: string
  /** True if the user may use the command in this project. The help text lists only such commands. */
  isAllowed(chat: CommandContext): boolean
  run(chat: CommandContext, args: Readonly<Record<string, string>>): ChatAnswer | Promise<ChatAnswer>
}
