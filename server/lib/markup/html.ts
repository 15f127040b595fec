const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Escapes a text for HTML content and attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character]!)
}

/** A tag with the attributes that have a value. */
export function openTag(name: string, attributes: Readonly<Record<string, string | undefined>> = {}): string {
  const parts = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${escapeHtml(value)}"`],
  )
  return `<${name}${parts.join('')}>`
}

/** A code block in the form that the window highlights. */
export function codeBlock(code: string, language?: string): string {
  const lang = language === undefined || language === '' ? undefined : language
  return `${openTag('pre', { class: 'code', lang })}<code>${escapeHtml(code)}</code></pre>\n`
}

const PICTURE = /\.(png|jpe?g|gif|webp|svg|ico|bmp)$/i

/** True for the address of a picture. */
export function isPicture(address: string): boolean {
  return PICTURE.test(address.slice(-200))
}

/** Unique ids of headings: the second `usage` is `usage-1`. */
export class HeadingIds {
  readonly #used = new Map<string, number>()

  /** The id of the next heading of this title; empty if it has no letters. */
  next(title: string): string {
    const slug = headingSlug(title)
    const count = this.#used.get(slug) ?? 0
    this.#used.set(slug, count + 1)
    return slug === '' || count === 0 ? slug : `${slug}-${count}`
  }
}

/** The id of a heading, as in Markdown. */
export function headingSlug(title: string): string {
  return title
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s+/g, '-')
}
