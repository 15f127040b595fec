import { fileUrl } from '../../api/page-token.ts'
import { encodePath, projectUrl } from '../../composables/paths.ts'

/** Where a rendered text stands in a repository, so that its relative addresses lead somewhere. */
export type MarkdownPlace = {
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
const isOurs = (address: string, place: MarkdownPlace): boolean =>
  [`/${place.full_path}/`, '/uploads/', '/-/', '/api/', '/groups/'].some((start) => address.startsWith(start))

const intoRepository = (address: string, place: MarkdownPlace): string => {
  const [, path = '', tail = ''] = /^([^?#]*)(.*)$/s.exec(address) ?? []
  if (!path) return address
  const target = join(place.folder, decode(path))
  const route = path.endsWith('/') || target === '' ? 'tree' : 'blob'
  return `/${encodePath(place.full_path)}/-/${route}/${encodePath(place.ref)}${target ? `/${encodePath(target)}` : ''}${tail}`
}

const rawAddress = (address: string, place: MarkdownPlace): string => {
  const target = join(place.folder, decode(address.replace(/[?#].*$/s, '')))
  return projectUrl(place.full_path, `raw/${place.ref}/${target}`)
}

const rewriteLink = (link: Element, place: MarkdownPlace | null): void => {
  const address = link.getAttribute('href') ?? ''
  if (isElsewhere(address)) {
    if (!address.startsWith(`${location.origin}/`)) {
      link.setAttribute('target', '_blank')
      link.setAttribute('rel', 'noopener noreferrer')
    }
  } else if (place && address && !address.startsWith('#') && !isOurs(address, place)) {
    link.setAttribute('href', intoRepository(address, place))
  }
}

/** Whether a picture comes from a server that the settings name. */
const isServed = (address: string, origins: readonly string[]): boolean =>
  URL.canParse(address) && origins.includes(new URL(address).origin)

/**
 * Nothing is fetched from elsewhere but from servers that the settings name: a picture on another host, or without an
 * address, becomes its description.
 */
const rewriteImage = (image: Element, place: MarkdownPlace | null, origins: readonly string[]): void => {
  const address = image.getAttribute('src') ?? image.getAttribute('data-src') ?? ''
  image.removeAttribute('srcset')
  if (isServed(address, origins)) return
  if (!address || (isElsewhere(address) && !address.startsWith(`${location.origin}/`))) {
    const words = image.ownerDocument.createElement('span')
    words.className = 'tag'
    words.title = address ? `Picture on another host: ${address}` : 'Picture on another host'
    words.textContent = image.getAttribute('alt') || 'Picture'
    image.replaceWith(words)
  } else if (place && !isOurs(address, place)) {
    image.setAttribute('src', fileUrl(rawAddress(address, place)))
  } else image.setAttribute('src', fileUrl(address))
}

/** `lang` is for the tongues of people: the grammar of a fence stands in `data-lang`, where no screen reader speaks it. */
const rewriteFence = (fence: Element): void => {
  fence.setAttribute('data-lang', fence.getAttribute('lang') ?? '')
  fence.removeAttribute('lang')
}

/** A box of a task list stands before its words, without being tied to them. */
const rewriteTask = (box: Element): void => {
  box.setAttribute('aria-label', box.closest('li')?.textContent?.trim().slice(0, 200) || 'Task')
}

/**
 * Gives relative links and pictures of rendered, already sanitised HTML their address inside the project. `origins`: other
 * servers whose pictures are shown.
 */
export const rewriteHtml = (
  html: string,
  place: MarkdownPlace | null,
  origins: readonly string[] = [],
): string => {
  const page = new DOMParser().parseFromString(html, 'text/html')
  for (const source of page.querySelectorAll('source')) source.remove()
  for (const link of page.querySelectorAll('a[href]')) rewriteLink(link, place)
  for (const image of page.querySelectorAll('img')) rewriteImage(image, place, origins)
  for (const fence of page.querySelectorAll('pre[lang], code[lang]')) rewriteFence(fence)
  for (const box of page.querySelectorAll('input[type="checkbox"]')) rewriteTask(box)
  return page.body.innerHTML
}
