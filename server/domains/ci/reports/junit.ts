import { XMLParser, XMLValidator } from 'fast-xml-parser'

/** A parsed XML element: its attributes by name with a leading `@`, its children by name, its text and its CDATA. */
type Node = Readonly<Record<string, unknown>>

/** The maximum number of tests of one job. */
const MAX_CASES = 50_000

/** The maximum number of characters of a name. */
const MAX_NAME = 1024
/** The maximum number of characters of the output of one test, and of the output of all tests. */
const MAX_OUTPUT = 64 * 1024
const MAX_TOTAL_OUTPUT = 4 * 1024 * 1024

const TEXT = '#text'
const CDATA = '#cdata'

/** The parser ignores entities. `decoded` replaces the five predefined ones; entities of a document are not supported. */
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

class UnreadableReport extends Error {}

/** Parses the JUnit reports of a job (spec ci 2.12). The result of an unreadable report is a suite with the error. */
export function parseJunit(documents: readonly string[]): Suite {
  try {
    const collector = new CaseCollector()
    for (const document of documents) collector.addDocument(parse(document))
    return suiteOf(collector.cases)
  } catch (error) {
    if (error instanceof UnreadableReport) return brokenSuite(error.message)
    return brokenSuite('JUnit data parsing failed: the document is too deep or broken')
  }
}

function parse(document: string): Node {
  const isValid = XMLValidator.validate(document, { allowBooleanAttributes: false })
  if (isValid !== true) {
    const { msg, line, col = 1 } = isValid.err
    const message = msg.replace(/\s+/g, ' ').slice(0, 200)
    throw new UnreadableReport(`JUnit XML parsing failed: ${line}:${col}: ${message}`)
  }
  return parser.parse(document) as Node
}

function nodesOf(value: unknown): Node[] {
  return [value].flat().filter((item): item is Node => typeof item === 'object' && item !== null)
}

class CaseCollector {
  readonly cases: TestCase[] = []
  #remainingOutput = MAX_TOTAL_OUTPUT

  /** Adds the tests of a document. Its root is `testsuites` or `testsuite`; suites may contain suites and tests. */
  addDocument(document: Node): void {
    for (const root of nodesOf(document['testsuites'])) this.#addSuite(root)
    for (const suite of nodesOf(document['testsuite'])) this.#addSuite(suite)
  }

  #addSuite(suite: Node): void {
    for (const node of nodesOf(suite['testcase'])) {
      if (this.cases.length === MAX_CASES)
        throw new UnreadableReport(
          `JUnit data parsing failed: number of test cases exceeds the limit of ${MAX_CASES}`,
        )
      this.cases.push(this.#caseOf(node))
    }
    for (const nested of nodesOf(suite['testsuite'])) this.#addSuite(nested)
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
      system_output: this.#limitOutput(
        message ?? (status === 'success' ? null : combinedOutput(out, textOf(node['system-err']))),
      ),
      stack_trace: null,
      attachment: attachmentIn(out),
    }
  }

  #limitOutput(text: string | null): string | null {
    if (text === null) return null
    const output = text.slice(0, Math.min(MAX_OUTPUT, this.#remainingOutput)).toWellFormed()
    this.#remainingOutput -= output.length
    return output
  }
}

/** The status of a test, and the message of its failure. */
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

function combinedOutput(out: string, err: string): string | null {
  const outputs = [out && `System Out:\n\n${out}`, err && `System Err:\n\n${err}`]
  return outputs.filter((text) => text !== '').join('\n\n') || null
}

/** The concatenated text of the elements with one name. */
function textOf(value: unknown): string {
  return nodesOf(value)
    .map((node) => {
      const text = typeof node[TEXT] === 'string' ? decodeEntities(node[TEXT]) : ''
      const sections = nodesOf(node[CDATA]).map((child) => String(child[TEXT] ?? ''))
      return [text, ...sections].filter((section) => section.trim() !== '').join('\n')
    })
    .filter((text) => text !== '')
    .join('\n')
}

function attribute(node: Node | undefined, name: string): string | null {
  const value = node?.[`@${name}`]
  return typeof value === 'string' ? decodeEntities(value).slice(0, MAX_NAME).toWellFormed() : null
}

function secondsOf(text: string | null): number {
  const seconds = Number((text ?? '0').replaceAll(',', ''))
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : 0
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** Replaces the predefined entities of XML and numeric character references. Other entities stay unchanged. */
function decodeEntities(text: string): string {
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

/** The statuses of tests, the most important first (spec ci 2.12). */
export const STATUSES = ['error', 'failed', 'success', 'skipped'] as const

export type CaseStatus = (typeof STATUSES)[number]

/** A test. */
export interface TestCase {
  readonly status: CaseStatus
  readonly name: string
  readonly classname: string
  readonly file: string | null
  /** Seconds. */
  readonly execution_time: number
  readonly system_output: string | null
  readonly stack_trace: string | null
  /** The path of an attachment in the artifacts archive of the job, such as a screenshot. */
  readonly attachment: string | null
}

/** The summary of a suite, without its tests. */
export interface SuiteSummary {
  readonly total_time: number
  readonly total_count: number
  readonly success_count: number
  readonly failed_count: number
  readonly skipped_count: number
  readonly error_count: number
  /** The error if the report could not be read. Then there are no tests. */
  readonly suite_error: string | null
}

/** The tests of a job. */
export interface Suite extends SuiteSummary {
  readonly test_cases: readonly TestCase[]
}

/** Makes a suite. Its tests are sorted by status, then by duration, the longest first. */
export function suiteOf(cases: readonly TestCase[]): Suite {
  const count = (status: CaseStatus): number => cases.filter((testCase) => testCase.status === status).length
  const test_cases = [...cases].sort(
    (a, b) => STATUSES.indexOf(a.status) - STATUSES.indexOf(b.status) || b.execution_time - a.execution_time,
  )
  return {
    total_time: roundToMicroseconds(cases.reduce((sum, testCase) => sum + testCase.execution_time, 0)),
    total_count: cases.length,
    success_count: count('success'),
    failed_count: count('failed'),
    skipped_count: count('skipped'),
    error_count: count('error'),
    suite_error: null,
    test_cases,
  }
}

/** Makes the suite of a report that could not be read. */
export function brokenSuite(suite_error: string): Suite {
  return { ...suiteOf([]), suite_error }
}

/** Rounds seconds to microseconds, because sums of floating-point numbers are inexact. */
export function roundToMicroseconds(seconds: number): number {
  return Math.round(seconds * 1e6) / 1e6
}
