import { matches, type PathPattern } from '../../../lib/text/path-pattern.ts'

/** What `.gitattributes` says about files, as far as languages go. */
export interface FileAttributes {
  readonly language?: string
  /** Not counted when true; counted in spite of its place when false. */
  readonly ignored?: boolean
}

interface Line {
  readonly pattern: PathPattern
  readonly attributes: FileAttributes
}

/** Longer files and patterns are not for people, and every file is held against every line. */
const MAX_LINES = 2000
const MAX_RULES = 200
const MAX_PATTERN = 128

/** Reads the lines that are about languages; of several that match a file the later ones win. */
export function readAttributes(text: string): (path: string) => FileAttributes {
  const lines = text.split('\n').slice(0, MAX_LINES).flatMap(lineOf).slice(0, MAX_RULES)
  if (lines.length === 0) return () => ({})
  return (path) => {
    let found: FileAttributes = {}
    for (const { pattern, attributes } of lines)
      if (matches(pattern, path)) found = { ...found, ...attributes }
    return found
  }
}

function lineOf(line: string): Line[] {
  const [glob, ...words] = line.trim().split(/\s+/)
  if (!glob || glob.startsWith('#') || glob.length > MAX_PATTERN) return []
  const attributes = Object.assign({}, ...words.map(attributeOf)) as FileAttributes
  return Object.keys(attributes).length === 0 ? [] : [{ pattern: patternOf(glob), attributes }]
}

function attributeOf(word: string): FileAttributes {
  const [, minus, name, value] = /^([-!]?)linguist-(\w+)(?:=(.*))?$/.exec(word) ?? []
  const isSet = minus === '' && value !== 'false'
  if (name === 'language' && value) return { language: value }
  if (name === 'vendored' || name === 'generated' || name === 'documentation') return { ignored: isSet }
  return name === 'detectable' ? { ignored: !isSet } : {}
}

/** Git's globs: `*` stays in a folder, `**` does not; without a slash the name alone is meant, at any depth. */
function patternOf(glob: string): PathPattern {
  const isAnchored = glob.slice(0, -1).includes('/')
  // At the end `**` means everything in there, however deep.
  const full = glob.endsWith('/') ? `${glob}**/*` : glob.endsWith('/**') ? `${glob}/*` : glob
  const segments = full.split('/').filter((segment) => segment !== '')
  return { segments: isAnchored ? segments : ['**', ...segments] }
}
