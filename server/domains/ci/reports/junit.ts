import { XMLParser, XMLValidator } from 'fast-xml-parser'

/** An element: its attributes with `@` in front, its children by name, text and CDATA. */
type Node = Readonly<Record<string, unknown>>

/** The maximum number of tests of one job. */
const MAX_CASES = 50_000

/** The maximum number of characters of a name, of the output of one test, and of the output of all tests. */
const MAX_NAME = 1024
const MAX_OUTPUT = 64 * 1024
const MAX_OUTPUTS = 4 * 1024 * 1024

const TEXT = '#text'
const CDATA = '#cdata'

/** Entities declared in a document are ignored; the five predefined ones are replaced below. */
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  parseTagValue: false,
  parseAttributeValue: false,
  processEntities: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  textNodeName: TEXT,
  cdataPropName: CDATA,
  alwaysCreateTextNode: true,
  jPath: false,
})

class Unreadable extends Error {}

/** Parses the JUnit reports of one job. An unreadable report becomes a suite with the reason (spec ci 2.12). Pure. */
export function parseJunit(documents: readonly string[]): Suite {
  try {
    const cases = new Cases()
    for (const document of documents) cases.addAll(parsed(document))
    return suiteOf(cases.found)
  } catch (error) {
    if (error instanceof Unreadable) return brokenSuite(error.message)
    return brokenSuite('JUnit data parsing failed: the document is too deep or broken')
  }
}

function parsed(document: string): Node {
  const isValid = XMLValidator.validate(document, { allowBooleanAttributes: false })
  if (isValid !== true) {
    const { msg, line, col = 1 } = isValid.err
    const message = msg.replace(/\s+/g, ' ').slice(0, 200)
    throw new Unreadable(`JUnit XML parsing failed: ${line}:${col}: ${message}`)
  }
  return parser.parse(document) as Node
}

function nodesOf(value: unknown): Node[] {
  return [value].flat().filter((item): item is Node => typeof item === 'object' && item !== null)
}

class Cases {
  readonly found: TestCase[] = []
  #left = MAX_OUTPUTS

  /** `testsuites` is only allowed at the top; suites may contain suites and tests. */
  addAll(document: Node): void {
    for (const top of nodesOf(document['testsuites'])) this.#addInside(top)
    for (const suite of nodesOf(document['testsuite'])) this.#addInside(suite)
  }

  #addInside(suite: Node): void {
    for (const node of nodesOf(suite['testcase'])) {
      if (this.found.length === MAX_CASES)
        throw new Unreadable(
          `JUnit data parsing failed: number of test cases exceeds the limit of ${MAX_CASES}`,
        )
      this.found.push(this.#caseOf(node))
    }
    for (const inner of nodesOf(suite['testsuite'])) this.#addInside(inner)
  }

  #caseOf(node: Node): TestCase {
    const [status, message] = outcomeOf(node)
    const out = textOf(node['system-out'])
    return {
      status,
      name: attribute(node, 'name') ?? '',
      classname: attribute(node, 'classname') ?? '',
      file: attribute(node, 'file'),
      execution_time: secondsOf(attribute(node, 'time')),
      system_output: this.#cut(
        message ?? (status === 'success' ? null : printed(out, textOf(node['system-err']))),
      ),
      stack_trace: null,
      attachment: attachmentIn(out),
    }
  }

  #cut(text: string | null): string | null {
    if (text === null) return null
    const cut = text.slice(0, Math.min(MAX_OUTPUT, this.#left)).toWellFormed()
    this.#left -= cut.length
    return cut
  }
}

/** The result of a test and its output. */
function outcomeOf(node: Node): [CaseStatus, string | null] {
  const outcomes = [
    ['failure', 'failed'],
    ['error', 'error'],
    ['skipped', 'skipped'],
  ] as const
  for (const [tag, status] of outcomes)
    if (node[tag] !== undefined)
      return [status, textOf(node[tag]) || attribute(nodesOf(node[tag])[0], 'message')]
  return ['success', null]
}

function printed(out: string, err: string): string | null {
  const parts = [out && `System Out:\n\n${out}`, err && `System Err:\n\n${err}`].filter((part) => part !== '')
  return parts.length > 0 ? parts.join('\n\n') : null
}

/** The concatenated text of the elements with one name. */
function textOf(value: unknown): string {
  return nodesOf(value)
    .map((node) => {
      const plain = typeof node[TEXT] === 'string' ? decoded(node[TEXT]) : ''
      const sections = nodesOf(node[CDATA]).map((child) => String(child[TEXT] ?? ''))
      return [plain, ...sections].filter((part) => part.trim() !== '').join('\n')
    })
    .filter((text) => text !== '')
    .join('\n')
}

function attribute(node: Node | undefined, name: string): string | null {
  const value = node?.[`@${name}`]
  return typeof value === 'string' ? decoded(value).slice(0, MAX_NAME).toWellFormed() : null
}

function secondsOf(text: string | null): number {
  const seconds = Number((text ?? '0').replaceAll(',', ''))
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : 0
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** Replaces the predefined entities of XML and numeric characters. Others stay. */
function decoded(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|([a-z]{2,4}));/g, (match, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(ENTITIES, name) ? ENTITIES[name]! : match
    const code = decimal === undefined ? parseInt(hex, 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : match
  })
}

function attachmentIn(out: string): string | null {
  const path = /\[\[ATTACHMENT\|([^\]\n]{1,1024})\]\]/.exec(out)?.[1]?.trim()
  return path ? path : null
}

/** Results of tests, the most important first (spec ci 2.12). */
export const STATUSES = ['error', 'failed', 'success', 'skipped'] as const

export type CaseStatus = (typeof STATUSES)[number]

/** One test. */
export interface TestCase {
  readonly status: CaseStatus
  readonly name: string
  readonly classname: string
  readonly file: string | null
  /** Seconds. */
  readonly execution_time: number
  readonly system_output: string | null
  readonly stack_trace: string | null
  /** Path of a picture or the like in the archive of the job, as the test named it. */
  readonly attachment: string | null
}

/** The summary of one job's tests, without the tests. */
export interface SuiteSummary {
  readonly total_time: number
  readonly total_count: number
  readonly success_count: number
  readonly failed_count: number
  readonly skipped_count: number
  readonly error_count: number
  /** The reason why the report could not be read. There are no tests then. */
  readonly suite_error: string | null
}

/** The tests of one job. */
export interface Suite extends SuiteSummary {
  readonly test_cases: readonly TestCase[]
}

/** A suite with its tests sorted: errors, failures, then by duration. */
export function suiteOf(cases: readonly TestCase[]): Suite {
  const count = (status: CaseStatus): number => cases.filter((testCase) => testCase.status === status).length
  const test_cases = [...cases].sort(
    (a, b) => STATUSES.indexOf(a.status) - STATUSES.indexOf(b.status) || b.execution_time - a.execution_time,
  )
  return {
    total_time: rounded(cases.reduce((sum, testCase) => sum + testCase.execution_time, 0)),
    total_count: cases.length,
    success_count: count('success'),
    failed_count: count('failed'),
    skipped_count: count('skipped'),
    error_count: count('error'),
    suite_error: null,
    test_cases,
  }
}

/** A suite that could not be read. */
export function brokenSuite(suite_error: string): Suite {
  return { ...suiteOf([]), suite_error }
}

/** Rounds to microseconds, because sums of floating-point numbers have noise. */
export function rounded(seconds: number): number {
  return Math.round(seconds * 1e6) / 1e6
}
