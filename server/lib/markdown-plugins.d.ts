/** Footnotes of Markdown. */
declare module 'markdown-it-footnote' {
  import type MarkdownIt from 'markdown-it'
  export default function footnotes(md: InstanceType<typeof MarkdownIt>): void
}

/** Characters of emoji by their names. */
declare module 'markdown-it-emoji/lib/data/full.mjs' {
  const characters: Readonly<Record<string, string>>
  export default characters
}
