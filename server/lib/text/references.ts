/** The kinds of objects that a text can refer to. */
export type ReferenceKind =
  | 'user'
  | 'issue'
  | 'merge_request'
  | 'snippet'
  | 'label'
  | 'milestone'
  | 'commit'
  | 'range'
  | 'outside_issue'

/** A possible reference; its target may not exist. */
export interface Reference {
  readonly kind: ReferenceKind
  /** The position in the text. */
  readonly start: number
  readonly end: number
  /** Path in front of the sign, as `group/project` of `group/project#1`; empty without one. */
  readonly path: string
  /** A number, name, title or commit id without its sign and quotes. */
  readonly name: string
  /** True if the name is in quotes; then digits are a name and not a number. */
  readonly quoted: boolean
}

const SIGNS: Readonly<Record<string, ReferenceKind>> = {
  '@': 'user',
  '#': 'issue',
  '!': 'merge_request',
  $: 'snippet',
  '~': 'label',
  '%': 'milestone',
}

/** The maximum length of a path in front of a sign. Paths of namespaces and projects are not longer. */
const MAX_PATH = 1024

const NUMBER = /\d{1,10}(?![\w])/y
const SHA = /[0-9a-f]{7,40}(?!\w)/y
const QUOTED = /"([^"\n]{1,255})"/y
const LABEL = /[A-Za-z0-9_?&][\w\-?.&:]{0,254}/y
const TITLE = /[A-Za-z0-9_][\w\-.]{0,254}/y
const USER = /[A-Za-z0-9_][\w.-]{0,254}(?:\/[A-Za-z0-9_][\w.-]{0,254}){0,20}/y
const BARE = /(?<![\w./@#!$~%-])([0-9a-f]{7,40})(?:(\.{2,3})([0-9a-f]{7,40}))?(?![\w-])/g
const SIGN = /[@#!$~%]/g

const isPathCharacter = (char: string): boolean => /[\w./-]/.test(char)
const withoutTrailingSigns = (name: string): string => name.replace(/[.:?&-]+$/, '')

/** The match of a sticky pattern at an index. */
function matchAt(pattern: RegExp, text: string, index: number): RegExpExecArray | null {
  pattern.lastIndex = index
  return pattern.exec(text)
}

/** The name after a sign, and its end. */
function nameAfter(kind: ReferenceKind, text: string, from: number, path: string) {
  if (kind === 'label' || kind === 'milestone') {
    const quoted = matchAt(QUOTED, text, from)
    if (quoted) return { name: quoted[1]!, end: from + quoted[0].length, quoted: true }
  }
  // In `group/project@1c002d07` the sign is followed by a commit.
  if (kind === 'user' && path !== '') {
    const sha = matchAt(SHA, text, from)
    return sha ? { name: sha[0], end: from + sha[0].length, quoted: false } : undefined
  }
  const pattern = { user: USER, label: LABEL, milestone: TITLE }[kind as string] ?? NUMBER
  const match = matchAt(pattern, text, from)
  if (!match) return undefined
  const name = pattern === NUMBER ? match[0] : withoutTrailingSigns(match[0])
  return name === '' ? undefined : { name, end: from + name.length, quoted: false }
}

/** The path in front of a sign. The search ends at the index `floor`. */
function pathBefore(text: string, sign: number, floor: number): string {
  let from = sign
  while (from > floor && sign - from < MAX_PATH && isPathCharacter(text[from - 1]!)) from--
  return text.slice(from, sign)
}

function isPath(path: string): boolean {
  return /^[A-Za-z0-9_](?:[\w.-]*\w)?(?:\/[A-Za-z0-9_](?:[\w.-]*\w)?){0,20}$/.test(path)
}

/**
 * References with a sign: `#1`, `!2`, `@name`, `~label`, `%"two words"`, `$3`, each with a path in front or without.
 */
function referencesWithSign(text: string): Reference[] {
  const references: Reference[] = []
  let floor = 0
  for (const { 0: sign, index } of text.matchAll(SIGN)) {
    if (index < floor) continue
    const kind = SIGNS[sign]!
    const path = pathBefore(text, index, floor)
    const isAlone = path === '' && (index === 0 || !/[\w@#!$~%&/.-]/.test(text[index - 1]!))
    const name = isAlone || isPath(path) ? nameAfter(kind, text, index + 1, path) : undefined
    if (name) {
      const isCommit = kind === 'user' && path !== ''
      const start = index - path.length
      references.push({ kind: isCommit ? 'commit' : kind, start, path, ...name })
    }
    // The text before a sign belongs to it and is not read again.
    floor = name?.end ?? index + 1
  }
  return references
}

/** IDs of commits without a sign, and ranges: two IDs with dots between them. */
function referencesToCommits(text: string): Reference[] {
  return Array.from(text.matchAll(BARE), (match) => {
    const isRange = match[2] !== undefined
    return {
      kind: isRange ? ('range' as const) : ('commit' as const),
      start: match.index,
      end: match.index + match[0].length,
      path: '',
      name: match[0],
      quoted: false,
    }
  })
}

/** All possible references of a text, in order. Each character is read a bounded number of times. */
export function referencesIn(text: string): Reference[] {
  const candidates = [...referencesWithSign(text), ...referencesToCommits(text)].toSorted(
    (a, b) => a.start - b.start || b.end - a.end,
  )
  const references: Reference[] = []
  for (const reference of candidates)
    if (reference.start >= (references.at(-1)?.end ?? 0)) references.push(reference)
  return references
}
