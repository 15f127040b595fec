import { readPattern, type Pattern } from './pattern.ts'

/** Lines beyond these are not read: nobody writes them, and each would be compared with every file of a push. */
const MAX_LINES = 5000

/** Files of one pattern and who owns them. */
export interface OwnerEntry {
  /** As written. */
  readonly text: string
  readonly pattern: Pattern
  /** `@user`, `@group/sub` or an e-mail address, as written. Empty: the files have no owner in this section. */
  readonly owners: readonly string[]
  readonly line: number
}

/** Rules that belong together: in each section the last entry that covers a file counts. */
export interface OwnerSection {
  readonly name: string
  readonly optional: boolean
  /** Approvals that each of its rules needs; 0 in an optional section. */
  readonly approvals: number
  readonly entries: readonly OwnerEntry[]
}

/** A line that does not say what it should. */
export interface OwnerProblem {
  readonly line: number
  readonly message: string
}

/** A file of code owners (spec administration 12.4). */
export interface OwnerFile {
  readonly sections: readonly OwnerSection[]
  readonly problems: readonly OwnerProblem[]
}

/** Section of the entries before any heading. */
export const DEFAULT_SECTION = 'codeowners'

interface OpenSection {
  name: string
  optional: boolean
  approvals: number
  defaults: readonly string[]
  entries: OwnerEntry[]
}

// `^[Name][2] @default`; every part has its own end, so that no line can take long.
const HEADING = /^(\^?)\[([^\]]*)\](?:\[([^\]]*)\])?(?:\s+(\S.*))?$/

/** Reads a file of code owners. Lines that cannot be read are told and left out. */
export function parseOwners(text: string): OwnerFile {
  const problems: OwnerProblem[] = []
  const sections = new Map<string, OpenSection>()
  let current = open(sections, { name: DEFAULT_SECTION, optional: false, approvals: 1, defaults: [] })
  const lines = text.split(/\r\n|\n|\r/).slice(0, MAX_LINES)
  for (const [index, raw] of lines.entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) continue
    const tell = (message: string) => problems.push({ line: index + 1, message })
    const heading = HEADING.exec(line)
    if (heading) {
      const section = sectionOf(heading, tell)
      if (section) current = open(sections, section)
    } else if (line.startsWith('[') || line.startsWith('^[')) {
      tell('The heading of a section is not properly closed.')
    } else {
      current.entries.push(entryOf(line, index + 1, current.defaults, tell))
    }
  }
  const filled = [...sections.values()].filter((section) => section.entries.length > 0)
  return { sections: filled, problems }
}

/** A heading that comes again goes on with the section of that name, whatever its case. */
function open(sections: Map<string, OpenSection>, heading: Omit<OpenSection, 'entries'>): OpenSection {
  const key = heading.name.toLowerCase()
  const known = sections.get(key)
  if (known) {
    // What the first heading says holds; only its default owners change from here on.
    known.defaults = heading.defaults.length > 0 ? heading.defaults : known.defaults
    return known
  }
  const made = { ...heading, entries: [] }
  sections.set(key, made)
  return made
}

function sectionOf(
  [, caret, title = '', count, owners = '']: RegExpExecArray,
  tell: (message: string) => void,
): Omit<OpenSection, 'entries'> | undefined {
  const name = title.trim()
  if (name === '') {
    tell('A section needs a name.')
    return undefined
  }
  const optional = caret === '^'
  const isCount = count === undefined || /^[1-9]\d{0,3}$/.test(count)
  if (!isCount) tell('The number of approvals has to be a whole number above zero; one is taken.')
  const approvals = optional ? 0 : isCount && count !== undefined ? Number(count) : 1
  return { name, optional, approvals, defaults: ownersOf(owners, tell) }
}

function entryOf(
  line: string,
  number: number,
  defaults: readonly string[],
  tell: (message: string) => void,
): OwnerEntry {
  const end = endOfPattern(line)
  const text = line.slice(0, end)
  const given = line.slice(end).trim()
  const own = given === '' ? [] : ownersOf(given, tell)
  const owners = given === '' ? defaults : own
  if (owners.length === 0) tell('The files of this pattern have no owner.')
  return { text, pattern: readPattern(text), owners, line: number }
}

/** Where the first blank stands that no backslash holds on to. */
function endOfPattern(line: string): number {
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '\\') at++
    else if (/\s/.test(line[at]!)) return at
  }
  return line.length
}

const OWNER = /^(@[\w.-]+(\/[\w.-]+)*|[^\s@]{1,64}@[^\s@]{1,255})$/

/** The owners of a line; words that are none are told and left out. A comment ends the line. */
function ownersOf(text: string, tell: (message: string) => void): string[] {
  const owners: string[] = []
  for (const word of text.split(/\s+/)) {
    if (word.startsWith('#')) break
    if (word === '') continue
    if (!OWNER.test(word)) tell(`${word.slice(0, 100)} is neither @user, @group nor an e-mail address.`)
    else if (!owners.includes(word)) owners.push(word)
  }
  return owners
}
