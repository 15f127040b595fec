import type { PathPattern } from '../../../lib/text/path-pattern.ts'

/** The maximum number of lines. Later lines are ignored, because every push compares all of its files with every line. */
const MAX_LINES = 5000

/** A line with a pattern and the owners of its files. */
export interface OwnerEntry {
  /** The pattern as written. */
  readonly text: string
  readonly pattern: Pattern
  /** `@user`, `@group/sub` or an email address, as written. Empty: the files have no owner in this section. */
  readonly owners: readonly string[]
  readonly line: number
}

/** Entries of one section. The last entry that matches a file owns it. */
export interface OwnerSection {
  readonly name: string
  readonly optional: boolean
  /** The approvals that each entry requires; 0 in an optional section. */
  readonly approvals: number
  readonly entries: readonly OwnerEntry[]
}

/** An invalid line. */
export interface OwnerProblem {
  readonly line: number
  readonly message: string
}

/** A parsed CODEOWNERS file (spec administration 12.4). */
export interface OwnerFile {
  readonly sections: readonly OwnerSection[]
  readonly problems: readonly OwnerProblem[]
}

/** The name of the section of entries before the first heading. */
export const DEFAULT_SECTION = 'codeowners'

interface OpenSection {
  name: string
  optional: boolean
  approvals: number
  defaults: readonly string[]
  entries: OwnerEntry[]
}

// Matches `^[Name][2] @default`. Each part has a distinct end, so that matching takes linear time.
const HEADING = /^(\^?)\[([^\]]*)\](?:\[([^\]]*)\])?(?:\s+(\S.*))?$/

/** Parses a CODEOWNERS file. Invalid lines are reported and skipped. */
export function parseOwners(text: string): OwnerFile {
  const problems: OwnerProblem[] = []
  const sections = new Map<string, OpenSection>()
  let current = open(sections, { name: DEFAULT_SECTION, optional: false, approvals: 1, defaults: [] })
  const lines = text.split(/\r\n|\n|\r/).slice(0, MAX_LINES)
  for (const [index, raw] of lines.entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) continue
    const report = (message: string) => problems.push({ line: index + 1, message })
    const heading = HEADING.exec(line)
    if (heading) {
      const section = sectionOf(heading, report)
      if (section) current = open(sections, section)
    } else if (line.startsWith('[') || line.startsWith('^[')) {
      report('The heading of a section is not properly closed.')
    } else {
      current.entries.push(entryOf(line, index + 1, current.defaults, report))
    }
  }
  const nonEmpty = [...sections.values()].filter((section) => section.entries.length > 0)
  return { sections: nonEmpty, problems }
}

/** Starts a section, or continues the section with the same name, case-insensitively. */
function open(sections: Map<string, OpenSection>, heading: Omit<OpenSection, 'entries'>): OpenSection {
  const key = heading.name.toLowerCase()
  const existing = sections.get(key)
  if (existing) {
    // The first heading sets the section's options; a later heading changes only the default owners.
    existing.defaults = heading.defaults.length > 0 ? heading.defaults : existing.defaults
    return existing
  }
  const newSection = { ...heading, entries: [] }
  sections.set(key, newSection)
  return newSection
}

function sectionOf(
  [, caret, title = '', count, owners = '']: RegExpExecArray,
  report: (message: string) => void,
): Omit<OpenSection, 'entries'> | undefined {
  const name = title.trim()
  if (name === '') {
    report('A section needs a name.')
    return undefined
  }
  const optional = caret === '^'
  const isCount = count === undefined || /^[1-9]\d{0,3}$/.test(count)
  if (!isCount) report('The number of approvals must be a whole number above zero; 1 is used.')
  const approvals = optional ? 0 : isCount && count !== undefined ? Number(count) : 1
  return { name, optional, approvals, defaults: ownersOf(owners, report) }
}

function entryOf(
  line: string,
  number: number,
  defaults: readonly string[],
  report: (message: string) => void,
): OwnerEntry {
  const end = endOfPattern(line)
  const text = line.slice(0, end)
  const ownerText = line.slice(end).trim()
  const lineOwners = ownerText === '' ? [] : ownersOf(ownerText, report)
  const owners = ownerText === '' ? defaults : lineOwners
  if (owners.length === 0) report('The files of this pattern have no owner.')
  return { text, pattern: readPattern(text), owners, line: number }
}

/** Returns the index of the first space without a backslash before it. */
function endOfPattern(line: string): number {
  for (let index = 0; index < line.length; index++) {
    if (line[index] === '\\') index++
    else if (/\s/.test(line[index]!)) return index
  }
  return line.length
}

const OWNER = /^(@[\w.-]+(\/[\w.-]+)*|[^\s@]{1,64}@[^\s@]{1,255})$/

/** Returns the owners in a line, up to a comment. Reports and skips words that are not an owner. */
function ownersOf(text: string, report: (message: string) => void): string[] {
  const owners: string[] = []
  for (const word of text.split(/\s+/)) {
    if (word.startsWith('#')) break
    if (word === '') continue
    if (!OWNER.test(word)) report(`${word.slice(0, 100)} is neither @user, @group nor an email address.`)
    else if (!owners.includes(word)) owners.push(word)
  }
  return owners
}

export { matches } from '../../../lib/text/path-pattern.ts'

/** A pattern of owned files. */
type Pattern = PathPattern

/** Parses a pattern. Without a leading slash it matches in every folder; with a trailing slash it matches a folder. */
export function readPattern(text: string): Pattern {
  if (text === '*') return { segments: ['**', '*'] }
  const plain = text.replace(/^\\#/, '#').replace(/\\\s+/g, ' ')
  const anchored = plain.startsWith('/') ? plain.slice(1) : `**/${plain}`
  const full = anchored.endsWith('/') ? `${anchored}**/*` : anchored
  return { segments: full.split('/').filter((segment) => segment !== '') }
}
