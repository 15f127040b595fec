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

/** The failure reasons after which a job may be retried (spec ci 1.15), and `always`. */
export const RETRY_REASONS: ReadonlySet<string> = new Set([
  'always',
  ...FAILURE_REASONS,
  ...BRIDGE_FAILURE_REASONS,
])

/** `retry:`. Messages give only `retry` as its location (spec ci 4.5). */
export const retry: Entry = (input) => {
  const node = new Node(input.report, 'retry', input.value, input.source)
  if (isInteger(node.value)) return checkRange(node.value, (message) => node.configError(message))
  if (!isHash(node.value)) return node.configError('has to be either an integer or a hash')
  allowedKeys(node, KEYS)
  const max = node.get('max')
  if (max !== null) {
    if (isInteger(max)) checkRange(max, (message) => node.attributeError('max', message))
    else
      node.attributeError(
        'max',
        isText(max) || isHash(max) || isList(max) ? 'is not a number' : 'must be an integer',
      )
  }
  checkWhen(node, node.get('when'))
  const codes = node.get('exit_codes')
  if (codes !== null && !isInteger(codes) && !(isList(codes) && codes.every(isInteger))) {
    node.attributeError('exit_codes', 'should be an array of integers or an integer')
  }
}

function checkRange(value: number | bigint, report: (message: string) => void): void {
  if (value < 0) report('must be greater than or equal to 0')
  if (value > 2) report('must be less than or equal to 2')
}

function checkWhen(node: Node, value: Value): void {
  if (value === null) return
  const list = isText(value) ? [value] : value
  if (!isList(list) || !list.every(isText)) {
    return node.attributeError('when', 'should be an array of strings or a string')
  }
  const unknown = list.filter((reason) => !RETRY_REASONS.has(reason))
  if (unknown.length === 0) return
  node.attributeError(
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
    if (node.value < 2) node.configError('must be greater than or equal to 2')
    if (node.value > MAX_COPIES) node.configError(`must be less than or equal to ${MAX_COPIES}`)
    return
  }
  if (!isHash(node.value)) return node.error('should be an integer or a hash')
  allowedKeys(node, MATRIX_KEYS)
  if (!node.has('matrix')) node.configError('missing required keys: matrix')
  if (node.isValid) checkMatrix(node.child('matrix'))
}

function checkMatrix(node: Node): void {
  if (isBlank(node.value)) return node.configError("can't be blank")
  if (!isList(node.value)) return node.configError('should be an array of hashes')
  for (const item of node.value) checkVariables(node.item('product', item))
  if (node.isValid && copyCount(node.value) > MAX_COPIES) {
    node.configError(`generates too many jobs (maximum is ${MAX_COPIES})`)
  }
}

function checkVariables(node: Node): void {
  const isValid =
    isHash(node.value) &&
    node.value.size > 0 &&
    [...node.value.values()].every(
      (item) => isScalar(item) || (isList(item) && item.length > 0 && item.every(isScalar)),
    )
  if (!isValid) node.configError('should be a hash of key value pairs, value can be an array')
}

/** The number of combinations of all entries of a matrix. */
function copyCount(list: readonly Value[]): number {
  return list.filter(isHash).reduce<number>((sum, entry) => {
    const sizes = [...entry.values()].map((item) => (isList(item) ? item.length : 1))
    return sum + sizes.reduce((product, size) => product * size, 1)
  }, 0)
}
