/** A part of a text. Strings are plain text, which each markup escapes. */
export type TextPart =
  | string
  | { readonly link: string; readonly url: string }
  | { readonly strong: string }
  /** Text in Markdown. */
  | { readonly markdown: string }

/** A text that is independent of a markup. */
export type Text = readonly TextPart[]

/** Builds a text: text`${who} opened ${{ link, url }}`. */
export function text(literals: TemplateStringsArray, ...values: (TextPart | Text | number)[]): Text {
  return literals.flatMap((literal, at): TextPart[] => {
    const value = values[at]
    const parts: TextPart[] =
      value === undefined
        ? []
        : typeof value === 'number'
          ? [String(value)]
          : isText(value)
            ? [...value]
            : [value]
    return literal === '' ? parts : [literal, ...parts]
  })
}

function isText(value: TextPart | Text | number): value is Text {
  return Array.isArray(value)
}

/** Writes a text in one markup. */
export type Markup = (text: Text) => string

function markup(
  escape: (plain: string) => string,
  write: {
    link: (label: string, url: string) => string
    strong: (plain: string) => string
    markdown: (source: string) => string
  },
): Markup {
  const textOf = (part: TextPart): string => {
    if (typeof part === 'string') return escape(part)
    if ('link' in part) return write.link(part.link, part.url)
    return 'strong' in part ? write.strong(part.strong) : write.markdown(part.markdown)
  }
  return (parts) => parts.map(textOf).join('')
}

const asHtml = (plain: string): string =>
  plain.replace(/[&<>"]/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[char]!)
const asChat = (plain: string): string =>
  plain.replace(/[&<>]/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[char]!)
const asMarkdown = (plain: string): string => plain.replace(/[\\`*_[\]<>~|]/g, String.raw`\$&`)
const asUrl = (url: string): string =>
  url.replace(/[\s()<>|]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)

const LINK = /!?\[([^\][\n]{0,1000})\]\(<?([^\s<>()]{1,2000})>?\)/g

/** The markup of chats: `<url|label>` and single characters. `escape` escapes plain text. */
function chat(escape: (plain: string) => string): Markup {
  const link = (label: string, url: string): string => `<${asUrl(url)}|${label}>`
  return markup(escape, {
    link: (label, url) => link(escape(label).replaceAll('|', '¦'), url),
    strong: (plain) => `*${escape(plain).replaceAll('*', '∗')}*`,
    // Links, bold, struck through and headings of Markdown.
    markdown: (source) =>
      escape(source)
        .replace(LINK, (_all, label: string, url: string) => link(label.replaceAll('|', '¦') || url, url))
        .replace(/\*\*([^*\n]{1,1000})\*\*/g, '*$1*')
        .replace(/~~([^~\n]{1,1000})~~/g, '~$1~')
        .replace(/^#{1,6} +([^\n]{1,1000})$/gm, '*$1*'),
  })
}

/** The markup of Slack and Mattermost. */
export const chatMarkup = chat(asChat)

/** The markup of Google Chat. It cannot escape `<` in plain text, and `<…>` could mention users. */
export const googleMarkup = chat((plain) => plain.replaceAll('<', '‹').replaceAll('>', '›'))

export const markdown = markup(asMarkdown, {
  link: (label, url) => `[${asMarkdown(label)}](${asUrl(url)})`,
  strong: (plain) => `*${asMarkdown(plain)}*`,
  markdown: (source) => source,
})

/**
 * The older Markdown of Telegram: links cannot contain escapes, and an unpaired character makes the message invalid.
 */
export const telegram = markup((plain) => plain.replace(/[_*`[]/g, String.raw`\$&`), {
  link: (label, url) => `[${label.replaceAll('[', '(').replaceAll(']', ')')}](${asUrl(url)})`,
  strong: (plain) => `*${plain.replaceAll('*', '∗')}*`,
  markdown: (source) => source.replace(/[_*`[]/g, String.raw`\$&`),
})

export const plain = markup((source) => source, {
  link: (label) => label,
  strong: (source) => source,
  markdown: (source) => source,
})

export const html = markup(asHtml, {
  link: (label, url) => `<a href="${asHtml(url)}">${asHtml(label)}</a>`,
  strong: (source) => `<b>${asHtml(source)}</b>`,
  markdown: (source) => asHtml(source),
})
