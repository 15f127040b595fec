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
export interface Tongue {
  link(text: string, url: string): string
  /** A text of somebody, so that nothing in it is read as more than text. */
  plain(text: string): string
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** `<url|text>`; three signs are all that has a meaning. */
const slack: Tongue = {
  link: (text, url) => `<${url}|${escaped(text).replaceAll('|', '¦')}>`,
  plain: escaped,
}

const markdown: Tongue = {
  link: (text, url) => `[${text.replace(/([[\]\\])/g, '\\$1')}](${url})`,
  plain: (text) => text.replace(/([\\`*_[\]<>~|@])/g, '\\$1'),
}

/** How the chat of an integration writes. */
export function tongueOf(slug: string): Tongue {
  return slug.startsWith('mattermost') ? markdown : slack
}

/** For whoever said the command alone. */
export function quietly(text: string): ChatAnswer {
  return { response_type: 'ephemeral', text }
}

/** For everybody in the channel. */
export function aloud(text: string, attachments?: readonly ChatAttachment[]): ChatAnswer {
  return { response_type: 'in_channel', text, ...(attachments ? { attachments } : {}) }
}
