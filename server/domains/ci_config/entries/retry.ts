import {
  isHash,
  isInteger,
  isList,
  isText,
  type Value,
  BRIDGE_FAILURE_REASONS,
  FAILURE_REASONS,
  isBlank,
  isScalar,
} from '../language/values.ts'
import { allowedKeys } from './checks.ts'
import { Node, type Entry } from './node.ts'

const KEYS = new Set(['max', 'when', 'exit_codes'])

/** Reasons of a failure after which a job may be repeated (spec ci 1.15), and `always`. */
export const RETRY_REASONS: ReadonlySet<string> = new Set([
  'always',
  ...FAILURE_REASONS,
  ...BRIDGE_FAILURE_REASONS,
])

/** `retry:`; its location in messages is just `retry` (spec ci 4.5). */
export const retry: Entry = (input) => {
  const node = new Node(input.report, 'retry', input.value, input.source)
  if (isInteger(node.value)) return range(node.value, (words) => node.config(words))
  if (!isHash(node.value)) return node.config('has to be either an integer or a hash')
  allowedKeys(node, KEYS)
  const max = node.get('max')
  if (max !== null) {
    if (isInteger(max)) range(max, (words) => node.attribute('max', words))
    else
      node.attribute(
        'max',
        isText(max) || isHash(max) || isList(max) ? 'is not a number' : 'must be an integer',
      )
  }
  when(node, node.get('when'))
  const codes = node.get('exit_codes')
  if (codes !== null && !isInteger(codes) && !(isList(codes) && codes.every(isInteger))) {
    node.attribute('exit_codes', 'should be an array of integers or an integer')
  }
}

function range(value: number | bigint, say: (words: string) => void): void {
  if (value < 0) say('must be greater than or equal to 0')
  if (value > 2) say('must be less than or equal to 2')
}

function when(node: Node, value: Value): void {
  if (value === null) return
  const list = isText(value) ? [value] : value
  if (!isList(list) || !list.every(isText)) {
    return node.attribute('when', 'should be an array of strings or a string')
  }
  const unknown = list.filter((reason) => !RETRY_REASONS.has(reason))
  if (unknown.length === 0) return
  node.attribute(
    'when',
    isText(value) ? 'is not included in the list' : `contains unknown values: ${unknown.join(', ')}`,
  )
}

/** The maximum number of copies of one job. */
export const MAX_COPIES = 200
const MATRIX_KEYS = new Set(['matrix'])

/** `parallel:` (spec ci 4.5, 4.12). */
export const parallel: Entry = (node) => {
  if (isInteger(node.value)) {
    if (node.value < 2) node.config('must be greater than or equal to 2')
    if (node.value > MAX_COPIES) node.config(`must be less than or equal to ${MAX_COPIES}`)
    return
  }
  if (!isHash(node.value)) return node.plain('should be an integer or a hash')
  allowedKeys(node, MATRIX_KEYS)
  if (!node.has('matrix')) node.config('missing required keys: matrix')
  if (node.ok) matrix(node.at('matrix'))
}

function matrix(node: Node): void {
  if (isBlank(node.value)) return node.config("can't be blank")
  if (!isList(node.value)) return node.config('should be an array of hashes')
  for (const item of node.value) variables(node.item('product', item))
  if (node.ok && copies(node.value) > MAX_COPIES) {
    node.config(`generates too many jobs (maximum is ${MAX_COPIES})`)
  }
}

function variables(node: Node): void {
  const isRight =
    isHash(node.value) &&
    node.value.size > 0 &&
    [...node.value.values()].every(
      (item) => isScalar(item) || (isList(item) && item.length > 0 && item.every(isScalar)),
    )
  if (!isRight) node.config('should be a hash of key value pairs, value can be an array')
}

/** Number of combinations of all entries of a matrix. */
function copies(list: readonly Value[]): number {
  return list.reduce<number>((sum, entry) => {
    if (!isHash(entry)) return sum
    return (
      sum +
      [...entry.values()].reduce<number>((product, item) => product * (isList(item) ? item.length : 1), 1)
    )
  }, 0)
}
