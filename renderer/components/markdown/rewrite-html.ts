import { fileUrl } from '../../api/page-token.ts'
import { encodePath, projectUrl } from '../../composables/paths.ts'
import { t } from '../../locales/t.ts'

/** The location of a rendered text in a repository, to resolve its relative URLs. */
export type MarkdownContext = {
  full_path: string
  ref: string
  /** The folder of the file, '' at the root. */
  folder: string
}

const decode = (path: string): string => {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

const join = (folder: string, relative: string): string => {
  const out = relative.startsWith('/') ? [] : folder.split('/').filter(Boolean)
  for (const part of relative.split('/')) {
    if (part === '..') out.pop()
    else if (part && part !== '.') out.push(part)
  }
  return out.join('/')
}

const isElsewhere = (address: string): boolean =>
  /^[a-z][a-z0-9+.-]*:/i.test(address) || address.startsWith('//')

/** Addresses the server made itself: inside the project, uploads, and the instance's own pages. */
const isOurs = (address: string, context: MarkdownContext): boolean =>
  [`/${context.full_path}/`, '/uploads/', '/-/', '/api/', '/groups/'].some((start) =>
    address.startsWith(start),
  )

const intoRepository = (address: string, context: MarkdownContext): string => {
  const [, path = '', tail = ''] = /^([^?#]*)(.*)$/s.exec(address) ?? []
  if (!path) return address
  const target = join(context.folder, decode(path))
  const route = path.endsWith('/') || target === '' ? 'tree' : 'blob'
  return `/${encodePath(context.full_path)}/-/${route}/${encodePath(context.ref)}${target ? `/${encodePath(target)}` : ''}${tail}`
}

const rawAddress = (address: string, context: MarkdownContext): string => {
  const target = join(context.folder, decode(address.replace(/[?#].*$/s, '')))
  return projectUrl(context.full_path, `raw/${context.ref}/${target}`)
}

const rewriteLink = (link: Element, context: MarkdownContext | null): void => {
  const address = link.getAttribute('href') ?? ''
  if (isElsewhere(address)) {
    if (!address.startsWith(`${location.origin}/`)) {
      link.setAttribute('target', '_blank')
      link.setAttribute('rel', 'noopener noreferrer')
    }
  } else if (context && address && !address.startsWith('#') && !isOurs(address, context)) {
    link.setAttribute('href', intoRepository(address, context))
  }
}

/** Whether an image is on a server that the settings allow. */
const isServed = (address: string, origins: readonly string[]): boolean =>
  URL.canParse(address) && origins.includes(new URL(address).origin)

/**
 * Nothing is loaded from other hosts except servers in the settings: a picture on another host, or without an
 * address, becomes its description.
 */
const rewriteImage = (image: Element, context: MarkdownContext | null, origins: readonly string[]): void => {
  const address = image.getAttribute('src') ?? image.getAttribute('data-src') ?? ''
  image.removeAttribute('srcset')
  if (isServed(address, origins)) return
  if (!address || (isElsewhere(address) && !address.startsWith(`${location.origin}/`))) {
    const words = image.ownerDocument.createElement('span')
    words.className = 'tag'
    words.title = address ? t('markdown.external_image_address', { address }) : t('markdown.external_image')
    words.textContent = image.getAttribute('alt') || t('common.picture')
    image.replaceWith(words)
  } else if (context && !isOurs(address, context)) {
    image.setAttribute('src', fileUrl(rawAddress(address, context)))
  } else image.setAttribute('src', fileUrl(address))
}

/** `lang` is for natural languages. The language of a code block is in `data-lang`, which screen readers ignore. */
const rewriteFence = (fence: Element): void => {
  fence.setAttribute('data-lang', fence.getAttribute('lang') ?? '')
  fence.removeAttribute('lang')
}

const ALERTS = ['note', 'tip', 'important', 'warning', 'caution']

/** `[!NOTE]` at the start of a blockquote makes it an alert. */
const rewriteAlert = (quote: Element): void => {
  const first = quote.querySelector(':scope > p')
  const start = first?.firstChild
  const [mark, word = ''] = /^\[!(\w+)\][ \t]*\n?/.exec(start?.textContent ?? '') ?? []
  const kind = word.toLowerCase()
  if (!first || !start || !mark || !ALERTS.includes(kind)) return
  start.textContent = (start.textContent ?? '').slice(mark.length)
  if (start.textContent === '' && start.nextSibling?.nodeName === 'BR') start.nextSibling.remove()
  const title = quote.ownerDocument.createElement('p')
  title.className = 'alert-title'
  title.textContent = kind[0]?.toUpperCase() + kind.slice(1)
  const alert = quote.ownerDocument.createElement('div')
  alert.className = `alert alert-${kind}`
  alert.append(title, ...quote.childNodes)
  if (first.textContent?.trim() === '' && first.childElementCount === 0) first.remove()
  quote.replaceWith(alert)
}

/** The checkbox of a task list precedes its text without a label. */
const rewriteTask = (box: Element): void => {
  box.setAttribute('aria-label', box.closest('li')?.textContent?.trim().slice(0, 200) || t('markdown.task'))
}

/**
 * Gives relative links and pictures of rendered, already sanitised HTML their address inside the project. `origins`: other
 * servers whose pictures are shown.
 */
export const rewriteHtml = (
  html: string,
  context: MarkdownContext | null,
  origins: readonly string[] = [],
): string => {
  const page = new DOMParser().parseFromString(html, 'text/html')
  for (const source of page.querySelectorAll('source')) source.remove()
  for (const link of page.querySelectorAll('a[href]')) rewriteLink(link, context)
  for (const image of page.querySelectorAll('img')) rewriteImage(image, context, origins)
  for (const fence of page.querySelectorAll('pre[lang], code[lang]')) rewriteFence(fence)
  for (const quote of page.querySelectorAll('blockquote')) rewriteAlert(quote)
  for (const box of page.querySelectorAll('input[type="checkbox"]')) rewriteTask(box)
  return page.body.innerHTML
}
