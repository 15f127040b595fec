import { isBlank, isHash, isInteger, isList, isScalar, type Value } from '../values.ts'
import { allowedKeys } from './checks.ts'
import type { Entry, Node } from './node.ts'

/** Copies of one job at most. */
export const MAX_COPIES = 200
const KEYS = new Set(['matrix'])

/** `parallel:` (spec ci 4.5, 4.12). */
export const parallel: Entry = (node) => {
  if (isInteger(node.value)) {
    if (node.value < 2) node.config('must be greater than or equal to 2')
    if (node.value > MAX_COPIES) node.config(`must be less than or equal to ${MAX_COPIES}`)
    return
  }
  if (!isHash(node.value)) return node.plain('should be an integer or a hash')
  allowedKeys(node, KEYS)
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
      (one) => isScalar(one) || (isList(one) && one.length > 0 && one.every(isScalar)),
    )
  if (!isRight) node.config('should be a hash of key value pairs, value can be an array')
}

/** Number of combinations of all entries of a matrix. */
function copies(list: readonly Value[]): number {
  return list.reduce<number>((sum, entry) => {
    if (!isHash(entry)) return sum
    return (
      sum + [...entry.values()].reduce<number>((product, one) => product * (isList(one) ? one.length : 1), 1)
    )
  }, 0)
}
