/**
 * The formats of pages, each with its file extensions. New pages get the first extension. Formats that can be written
 * come before those that can only be read (spec administration 10.1 and 10.2).
 */
export const FORMATS = {
  markdown: ['md', 'mkd', 'mkdn', 'mdown', 'markdown'],
  rdoc: ['rdoc'],
  asciidoc: ['asciidoc', 'adoc'],
  org: ['org'],
  textile: ['textile'],
  creole: ['creole'],
  rest: ['rst', 'rest', 'rst.txt', 'rest.txt'],
  mediawiki: ['mediawiki', 'wiki'],
  pod: ['pod'],
  plaintext: ['txt'],
} as const satisfies Record<string, readonly [string, ...string[]]>

/** A format of wiki pages (spec administration 10.1). */
export type PageFormat = keyof typeof FORMATS

/** Formats that pages can be written in. */
export const WRITABLE_FORMATS = ['markdown', 'rdoc', 'asciidoc', 'org'] as const satisfies PageFormat[]

const BY_EXTENSION = new Map<string, PageFormat>(
  Object.entries(FORMATS).flatMap(([format, extensions]) =>
    extensions.map((extension) => [extension, format as PageFormat] as const),
  ),
)

/** The format of files with an extension, given without the dot, in any case; undefined if such files are not pages. */
export function formatOfExtension(extension: string): PageFormat | undefined {
  return BY_EXTENSION.get(extension.toLowerCase())
}
