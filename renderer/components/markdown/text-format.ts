/** Markup that the instance shows as a document. */
export type TextFormat = 'markdown' | 'asciidoc' | 'org' | 'rdoc'

const EXTENSIONS: readonly (readonly [RegExp, TextFormat])[] = [
  [/\.(md|markdown|mdown|mkdn?)$/i, 'markdown'],
  [/\.(adoc|asciidoc)$/i, 'asciidoc'],
  [/\.org$/i, 'org'],
  [/\.rdoc$/i, 'rdoc'],
]

/** The markup of a file, by its name; null for any other text. */
export const textFormat = (path: string): TextFormat | null =>
  EXTENSIONS.find(([extension]) => extension.test(path))?.[1] ?? null
