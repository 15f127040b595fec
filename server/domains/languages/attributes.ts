/** What `.gitattributes` says about files, as far as languages go. */
export interface FileAttributes {
  readonly language?: string
  /** Not counted when true; counted in spite of its place when false. */
  readonly ignored?: boolean
}

interface Line {
  readonly pattern: RegExp
  readonly attributes: FileAttributes
}

/** Longer files, and patterns that could take long, are not for people. */
const MAX_LINES = 2000
const MAX_PATTERN = 300

/** Reads the lines that are about languages; of several that match a file the later ones win. */
export function readAttributes(text: string): (path: string) => FileAttributes {
  const lines = text.split('\n').slice(0, MAX_LINES).flatMap(lineOf)
  if (lines.length === 0) return () => ({})
  return (path) => {
    let found: FileAttributes = {}
    for (const { pattern, attributes } of lines) if (pattern.test(path)) found = { ...found, ...attributes }
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
function patternOf(glob: string): RegExp {
  const isAnchored = glob.slice(0, -1).includes('/')
  const source = glob
    .replace(/^\//, '')
    .replace(/\/$/, '/**')
    .split(/(\*\*\/|\/\*\*$|\*+|\?)/)
    .map((part) => {
      if (part === '**/') return '(?:.*/)?'
      if (part === '/**') return '/.*'
      if (part === '?') return '[^/]'
      return /^\*+$/.test(part) ? '[^/]*' : part.replace(/[.+^${}()|[\]\\]/g, '\\$&')
    })
    .join('')
  return new RegExp(`^${isAnchored ? '' : '(?:.*/)?'}${source}$`)
}
