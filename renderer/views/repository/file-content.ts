import { imageType } from '../../components/code/languages.ts'
import { textFormat } from '../../components/markdown/text-format.ts'
import { t } from '../../locales/t.ts'

/** Text beyond this is offered as a download; a browser would crawl under it. */
export const MAX_TEXT_BYTES = 5_000_000
const PROBE = 8000

export type FileContent =
  | { kind: 'text'; text: string; encoding: string; line_ending: string; lines: number }
  | { kind: 'image'; type: string; stored?: number }
  /** A file in Git LFS. `stored` is its size in bytes. */
  | { kind: 'large'; stored: number }
  | { kind: 'binary' }
  | { kind: 'too_large' }

/** The minimum and maximum size of an LFS pointer in bytes. */
const MIN_POINTER_BYTES = 120
const MAX_POINTER_BYTES = 1024
const POINTER =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:.*\n)*?oid sha256:[0-9a-f]{64}\nsize (\d{1,15})\n?$/

/** The bytes of a base64 text. */
export const bytesOf = (base64: string): Uint8Array<ArrayBuffer> => {
  const raw = atob(base64.replace(/\s+/g, ''))
  const bytes = new Uint8Array(raw.length)
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i)
  return bytes
}

/** How a file can be rendered: Markdown and similar formats, SVG, tables and notebooks. */
export const previewOf = (path: string): 'document' | 'drawing' | 'picture' | 'table' | 'notebook' | null => {
  if (textFormat(path)) return 'document'
  if (/\.(csv|tsv)$/i.test(path)) return 'table'
  if (/\.ipynb$/i.test(path)) return 'notebook'
  const type = imageType(path)
  if (!type) return null
  return type === 'image/svg+xml' ? 'drawing' : 'picture'
}

/**
 * What name and size are enough for: an image, which the browser loads itself, or a file that is too large. Null if the
 * bytes must be looked at. `asText` wants the text of an SVG.
 */
export const contentWithoutBytes = (path: string, size: number, asText = false): FileContent | null => {
  const image = shownPicture(path, asText)
  // So small a picture may be a pointer to one.
  const mayStand = size >= MIN_POINTER_BYTES && size <= MAX_POINTER_BYTES
  if (image) return mayStand ? null : { kind: 'image', type: image }
  return size > MAX_TEXT_BYTES ? { kind: 'too_large' } : null
}

const shownPicture = (path: string, asText: boolean): string | null =>
  asText && previewOf(path) === 'drawing' ? null : imageType(path)

/** Judges a file by its name and its bytes. */
export const contentOf = (path: string, base64: string, asText = false): FileContent => {
  const content = readContent(base64)
  const image = shownPicture(path, asText)
  if (!image) return content
  return { kind: 'image', type: image, ...(content.kind === 'large' ? { stored: content.stored } : {}) }
}

/** Detects the kind of a file by its bytes: text in an encoding, an LFS pointer, or binary. */
export const readContent = (base64: string): FileContent => {
  const bytes = bytesOf(base64)
  const decoded = decode(bytes)
  if (!decoded) return { kind: 'binary' }
  const text = decoded.text.replace(/\r\n/g, '\n')
  const stored = bytes.length <= MAX_POINTER_BYTES ? POINTER.exec(text)?.[1] : undefined
  if (stored !== undefined) return { kind: 'large', stored: Number(stored) }
  return {
    kind: 'text',
    text,
    encoding: decoded.encoding,
    line_ending: lineEnding(decoded.text),
    lines: lineCount(text),
  }
}

const decode = (bytes: Uint8Array): { text: string; encoding: string } | null => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe)
    return { text: new TextDecoder('utf-16le').decode(bytes), encoding: 'UTF-16 LE' }
  if (bytes[0] === 0xfe && bytes[1] === 0xff)
    return { text: new TextDecoder('utf-16be').decode(bytes), encoding: 'UTF-16 BE' }
  if (bytes.subarray(0, PROBE).includes(0)) return null
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'UTF-8' }
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'Latin 1' }
  }
}

const lineEnding = (text: string): string => {
  const all = text.match(/\n/g)?.length ?? 0
  const crlf = text.match(/\r\n/g)?.length ?? 0
  if (all === 0) return ''
  if (crlf === 0) return 'LF'
  return crlf === all ? 'CRLF' : t('repository.lf_and_crlf')
}

const lineCount = (text: string): number => {
  if (text === '') return 0
  const ends = text.match(/\n/g)?.length ?? 0
  return text.endsWith('\n') ? ends : ends + 1
}
