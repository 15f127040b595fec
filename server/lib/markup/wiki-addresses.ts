import { formatOfExtension } from './formats.ts'

/** Resolves the relative addresses of a text. */
export interface Addresses {
  link(address: string): string
  picture(address: string): string
}

/** The position of a page, for its relative links. */
export interface WikiPosition {
  /** The address of the wiki, as pages contain it: `/group/project/-/wikis`. */
  readonly base: string
  readonly slug: string
}

/** True for addresses outside of the wiki: with a scheme or host, within the page, or absolute in the instance. */
function isElsewhere(address: string, base: string): boolean {
  return (
    /^([a-z][a-z0-9+.-]*:|\/\/|[#?]|$)/i.test(address) ||
    address === base ||
    address.startsWith(`${base}/`) ||
    /^\/(-|api|uploads)\/|^\/[^?#]*\/-\//.test(address)
  )
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function hasExtension(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return dot > 0 && dot < name.length - 1
}

/**
 * The path in the wiki of a relative address. A plain name and a path with a leading slash start at the root of the
 * wiki. A path with a leading dot and a file (`notes.md`) start in the folder of the page. Attachments start at the
 * root (spec administration 10.2).
 */
function pathIn(path: string, slug: string): string[] {
  const isRelativeToPage = path.startsWith('.') || (hasExtension(path) && !/^(\/|uploads\/)/.test(path))
  const parts = isRelativeToPage ? slug.split('/').slice(0, -1) : []
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(decode(part))
  }
  return parts
}

/** `notes.md` is the page `notes`. */
function withoutExtension(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot > 0 && formatOfExtension(name.slice(dot + 1)) !== undefined ? name.slice(0, dot) : name
}

/** The targets of the links and pictures of a page. */
export function wikiAddresses({ base, slug }: WikiPosition): Addresses {
  const resolve = (address: string, isPage: boolean): string => {
    if (isElsewhere(address, base)) return address
    const [, path = '', tail = ''] = /^([^?#]*)(.*)$/s.exec(address) ?? []
    const parts = pathIn(path, slug)
    const isAttachment = parts[0] === 'uploads'
    if (isPage && !isAttachment && parts.length > 0) parts.push(withoutExtension(parts.pop()!))
    return [base, ...parts.map((part) => encodeURIComponent(part.toWellFormed()))].join('/') + tail
  }
  return {
    link: (address) => resolve(address.trim(), true),
    picture: (address) => resolve(address.trim(), false),
  }
}
